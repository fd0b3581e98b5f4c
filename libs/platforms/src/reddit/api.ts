import { addressOf } from '../addresses.ts'
import type { Settings } from '../platform.ts'

type Caller = { settings: Settings; token: string }

/** The address of an API path. `raw_json` keeps Reddit from escaping texts and addresses as HTML. */
export function apiUrl({ settings }: Caller, path: string, query: Record<string, string> = {}) {
  return addressOf(settings['apiUrl'] ?? '', path, { raw_json: '1', ...query })
}

/** The headers of an API call. Reddit slows down callers that do not say who they are. */
export function apiHeaders({ settings, token }: Caller): Record<string, string> {
  return { authorization: `Bearer ${token}`, ...userAgent(settings) }
}

export function userAgent(settings: Settings): Record<string, string> {
  return { 'user-agent': settings['userAgent'] ?? 'server:herald:v1' }
}

/** The body of a form call with its header. */
export function form(fields: Record<string, string>) {
  return {
    contentType: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  }
}
