import { addressOf } from '../addresses.ts'
import type { HttpRequest } from '../http.ts'
import type { Settings } from '../platform.ts'
import { LINKEDIN_SETTINGS } from './settings.ts'

type Caller = { settings: Settings; token: string }
type Call = Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>

/** A call that reads. */
export function get(caller: Caller, path: string, query?: Record<string, string>): Call {
  return { method: 'GET', url: urlOf(caller, path, query), headers: headersOf(caller) }
}

/** A call with a JSON body. */
export function post(
  caller: Caller,
  path: string,
  query: Record<string, string> | undefined,
  body: unknown,
): Call {
  const headers = { ...headersOf(caller), 'content-type': 'application/json' }
  return { method: 'POST', url: urlOf(caller, path, query), headers, body: JSON.stringify(body) }
}

function urlOf({ settings }: Caller, path: string, query?: Record<string, string>): string {
  return addressOf({ ...LINKEDIN_SETTINGS, ...settings }.apiUrl, path, query)
}

function headersOf({ settings, token }: Caller): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    'linkedin-version': { ...LINKEDIN_SETTINGS, ...settings }.version,
    'x-restli-protocol-version': '2.0.0',
  }
}
