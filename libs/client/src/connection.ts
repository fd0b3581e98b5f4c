import type { RateLimit } from './rate-limit.ts'

/** What is told of every answer of Herald, refusals and those that are asked again included. */
export type AnswerInfo = {
  method: string
  path: string
  status: number
  requestId: string | null
  rateLimit: RateLimit
  headers: Headers
}

export type HeraldOptions = {
  apiKey: string
  /** The address of the API, such as `https://herald.example/v1`. */
  baseUrl: string
  /** For one try of a request, in milliseconds; 30 s unless given. Imports and uploads have at least their own time. */
  timeoutMs?: number
  /** For a call with all its tries and the waiting between them, in milliseconds; 2 minutes unless given. */
  deadlineMs?: number
  /** How often a request is made again at most; 4 unless given, 0 for never. */
  maxRetries?: number
  /** Hears of every answer, for logs and metrics. */
  onAnswer?: (answer: AnswerInfo) => void
  fetch?: typeof fetch
  /** Waits that long; rejects when the signal says so. For tests. */
  wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/** The options with all that was left out, checked. */
export type Connection = Required<HeraldOptions>

/** Checks the options and fills them up. Throws a `TypeError` that does not show the key. */
export function connectionOf(options: HeraldOptions): Connection {
  const { apiKey, timeoutMs = 30_000, deadlineMs = 120_000, maxRetries = 4 } = options
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey is not an API key.')
  return {
    apiKey,
    baseUrl: baseUrlOf(options.baseUrl),
    timeoutMs,
    deadlineMs,
    maxRetries,
    onAnswer: options.onAnswer ?? (() => undefined),
    fetch: options.fetch ?? fetch,
    wait: options.wait ?? wait,
  }
}

function baseUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isPlain = url && `${url.username}${url.password}${url.search}${url.hash}` === ''
  if (!isPlain || !/^https?:$/.test(url.protocol))
    throw new TypeError('baseUrl is not an http or https address.')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
