import { addressOf } from '../addresses.ts'
import type { HttpRequest } from '../http.ts'
import type { Settings } from '../platform.ts'
import { X_SETTINGS } from './settings.ts'

type Caller = { settings: Settings; token: string }
type Call = Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>

/** A call that reads. */
export function get(
  { settings, token }: Caller,
  path: string,
  query?: Record<string, string>,
): Call {
  const { apiUrl } = { ...X_SETTINGS, ...settings }
  return { method: 'GET', url: addressOf(apiUrl, path, query), headers: bearer(token) }
}

/** A call with a JSON body, or none. */
export function post({ settings, token }: Caller, path: string, body?: unknown): Call {
  const { apiUrl } = { ...X_SETTINGS, ...settings }
  const url = addressOf(apiUrl, path)
  if (body === undefined) return { method: 'POST', url, headers: bearer(token), body: '' }
  const headers = { ...bearer(token), 'content-type': 'application/json' }
  return { method: 'POST', url, headers, body: JSON.stringify(body) }
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}
