/** Herald cannot start for a reason that the person who starts it can act on. The message is all they need. */
export class StartRefused extends Error {
  override name = 'StartRefused'
}
