import { addressOf } from '../addresses.ts'
import { type HttpRequest, request } from '../http.ts'
import type { HttpResult } from '../http.ts'
import type { PublishInput, Settings } from '../platform.ts'

type Caller = { settings: Settings; token: string }

/** A call of the API: JSON when it has a body. */
export function apiCall(
  { settings, token }: Caller,
  method: 'GET' | 'POST',
  path: string,
  more: { query?: Record<string, string>; body?: unknown } = {},
): Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'> {
  const { query, body } = more
  return {
    method,
    url: addressOf(settings['apiUrl'] ?? '', path, query),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
}

/** Makes a call of the API while publishing, within 15 s unless given. */
export function callApi(
  input: PublishInput,
  call: Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>,
  timeoutMs = 15_000,
): Promise<HttpResult> {
  return request({ ...call, timeoutMs, signal: input.signal })
}
