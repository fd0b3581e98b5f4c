/** A call as either road carries it. */
export type CallOptions = {
  service: string
  /** The operation's name. */
  name: string
  input: unknown
  timeoutMs: number
}

/** A call that got no answer. An answered error is a reply, and no `LostCall`. */
export class LostCall extends Error {
  override name = 'LostCall'
  /** Whether it is certain that no service received the call. */
  readonly isUnsent: boolean

  constructor(message: string, options: { isUnsent: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.isUnsent = options.isUnsent
  }
}
