import { addressOf } from '../addresses.ts'
import type { HttpRequest } from '../http.ts'

type Call = Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>

/** The call of an AT Protocol query. */
export function query(
  baseUrl: string,
  name: string,
  parameters: Record<string, string>,
  token?: string,
): Call {
  const url = addressOf(baseUrl, `/xrpc/${name}`, parameters)
  return { method: 'GET', url, headers: bearer(token) }
}

/** The call of an AT Protocol procedure; without input it has no body. */
export function procedure(baseUrl: string, name: string, input: unknown, token?: string): Call {
  const url = addressOf(baseUrl, `/xrpc/${name}`)
  if (input === undefined) return { method: 'POST', url, headers: bearer(token), body: '' }
  const headers = { ...bearer(token), 'content-type': 'application/json' }
  return { method: 'POST', url, headers, body: JSON.stringify(input) }
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}
