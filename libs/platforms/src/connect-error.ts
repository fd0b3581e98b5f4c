/**
 * A platform did not give what connecting or renewing needs. `refused` is the platform's definite answer about the
 * credentials; `unavailable` says nothing about them. The message is for a person and holds no secret.
 */
export class ConnectError extends Error {
  override name = 'ConnectError'
  readonly kind: 'refused' | 'unavailable'

  constructor(kind: 'refused' | 'unavailable', message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.kind = kind
  }
}
