import { type HttpRequest, type HttpResponse, request } from './http.ts'
import { ConnectError, type HttpDeps } from './platform.ts'
import { reason } from './refusal.ts'

/** For one call while connecting or renewing, so that two in a row fit into a caller's deadline. */
const TIMEOUT_MS = 8_000

/**
 * Makes a call that concerns credentials. Answers what the platform definitely says, good or bad; throws
 * `ConnectError` `unavailable` for silence, a rate limit and a failure of the platform, which say nothing about them.
 */
export async function ask(
  name: string,
  call: Omit<HttpRequest, 'timeoutMs' | 'signal'>,
  deps: HttpDeps = {},
): Promise<HttpResponse> {
  const { timeoutMs = TIMEOUT_MS, signal } = deps
  const result = await request({ ...call, timeoutMs, signal })
  if (result.kind !== 'response')
    throw new ConnectError('unavailable', `${name} does not answer (${reason(result.error)}).`, {
      cause: result.error,
    })
  if (result.status === 429)
    throw new ConnectError('unavailable', `${name} wants to be asked less often. Try again later.`)
  if (result.status >= 500 || result.status === 408)
    throw new ConnectError('unavailable', `${name} answers with status ${result.status}.`)
  return result
}
