/**
 * A file could not be described. `retryable` tells whether the same request may succeed later, and `retryAfterMs`,
 * when the describer said so, how long to wait until then. The message is for the log and holds no secret.
 */
export class DescribeFailed extends Error {
  override name = 'DescribeFailed'
  readonly retryable: boolean
  readonly retryAfterMs: number | null

  constructor(message: string, options: { retryable: boolean; retryAfterMs?: number | null }) {
    super(message)
    this.retryable = options.retryable
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}
