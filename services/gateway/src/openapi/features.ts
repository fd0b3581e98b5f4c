/** Parts of the API that cut across its routes. */
export type Features = {
  /** The headers that tell how many requests are left. */
  rateLimitHeaders: boolean
  /** `Idempotency-Key` on POST. */
  idempotencyKeys: boolean
  /** `ETag`, `If-None-Match` and `If-Match` on single resources. */
  etags: boolean
}

/** What the gateway does today. Turning one on here describes it on every route it belongs to. */
export const FEATURES: Features = { rateLimitHeaders: true, idempotencyKeys: true, etags: true }
