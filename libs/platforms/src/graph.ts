import { addressOf } from './addresses.ts'
import { type HttpResult, request } from './http.ts'
import type { PublishInput, Settings } from './platform.ts'

export type GraphFields = Record<string, string>

/** The address of a path of a Graph API in the version that Herald speaks. */
export function graphUrl(settings: Settings, path: string, query?: GraphFields): string {
  const { apiUrl = '', apiVersion = '' } = settings
  return addressOf(apiUrl, `/${apiVersion}${path}`, query)
}

/** One call to a Graph API in the name of an account. Fields are the query of a GET and the form of a POST. */
export function graphCall(
  { settings, token, signal }: Pick<PublishInput, 'settings' | 'token' | 'signal'>,
  method: 'GET' | 'POST',
  path: string,
  fields: GraphFields,
  timeoutMs: number,
): Promise<HttpResult> {
  const authorization = `Bearer ${token}`
  if (method === 'GET') {
    const url = graphUrl(settings, path, fields)
    return request({ method, url, headers: { authorization }, timeoutMs, signal })
  }
  return request({
    method,
    url: graphUrl(settings, path),
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
    timeoutMs,
    signal,
  })
}
