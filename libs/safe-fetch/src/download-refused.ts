/** Why a download was refused. For the log only: told to a stranger, it would map the network for them. */
export type RefusalReason =
  | 'not_an_address'
  | 'address_too_long'
  | 'scheme'
  | 'user_info'
  | 'port'
  | 'own_origin'
  | 'name'
  | 'forbidden_address'
  | 'dns_failed'
  | 'dns_deadline'
  | 'connect_failed'
  | 'connect_deadline'
  | 'tls_failed'
  | 'too_many_redirects'
  | 'redirect_without_location'
  | 'redirect_to_http'
  | 'no_answer'
  | 'too_many_interim_answers'
  | `status_${number}`
  | 'encoded'
  | 'too_large'
  | 'too_slow'
  | 'cut_off'
  | 'total_deadline'
  | 'aborted'

/**
 * A file was not downloaded. The message is the same for every reason and may be shown to anybody; `reason` and
 * `cause` are for the log.
 */
export class DownloadRefused extends Error {
  override name = 'DownloadRefused'
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, options?: ErrorOptions) {
    super('The file could not be downloaded from this address.', options)
    this.reason = reason
  }
}

/** The refusal that an error stands for: the signal's own when that has ended the work, else one for `reason`. */
export function refusalOf(
  cause: unknown,
  reason: RefusalReason,
  signal: AbortSignal,
): DownloadRefused {
  if (cause instanceof DownloadRefused) return cause
  if (signal.reason instanceof DownloadRefused) return signal.reason
  return new DownloadRefused(reason, { cause })
}
