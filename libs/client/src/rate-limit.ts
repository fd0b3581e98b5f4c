/** What is left of one limit. */
export type Allowance = {
  limit: number | null
  remaining: number
  /** Seconds until more is left. */
  resetsInSeconds: number
}

/** What is left of the requests per minute of the key, and per month of its organization; null when not told. */
export type RateLimit = { minute: Allowance | null; month: Allowance | null }

/** Reads `RateLimit` and `RateLimit-Policy`, or else the older `X-RateLimit-` headers. `now` is in ms since 1970. */
export function rateLimitOf(headers: Headers, now: number): RateLimit {
  const left = items(headers.get('ratelimit'))
  const policies = items(headers.get('ratelimit-policy'))
  const allowance = (name: string): Allowance | null => {
    const { r, t } = left.get(name) ?? {}
    if (r === undefined || t === undefined) return null
    return { limit: policies.get(name)?.q ?? null, remaining: r, resetsInSeconds: t }
  }
  return { minute: allowance('minute') ?? older(headers, now), month: allowance('month') }
}

/** The items of a list such as `"minute";r=12;t=34, "month";r=8211;t=950400`, with their parameters. */
function items(header: string | null): Map<string, Record<string, number>> {
  const found = (header ?? '').matchAll(/"([^"]*)"((?:; ?[a-z]+=\d+)*)/g)
  return new Map([...found].map(([, name = '', rest = '']) => [name, parameters(rest)]))
}

function parameters(text: string): Record<string, number> {
  const pairs = [...text.matchAll(/([a-z]+)=(\d+)/g)]
  return Object.fromEntries(pairs.map(([, name = '', value]) => [name, Number(value)]))
}

function older(headers: Headers, now: number): Allowance | null {
  const [limit, remaining, resets] = ['limit', 'remaining', 'reset'].map((name) => {
    const text = headers.get(`x-ratelimit-${name}`) ?? ''
    return /^\d+$/.test(text) ? Number(text) : undefined
  })
  if (limit === undefined || remaining === undefined || resets === undefined) return null
  return { limit, remaining, resetsInSeconds: Math.max(0, Math.ceil(resets - now / 1000)) }
}
