import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { request, type HttpRequest, type HttpResponse, type HttpResult } from '../http.ts'
import type { NotPublished, PublishInput, Settings } from '../platform.ts'
import { asPreparing, meaningOf, meaningOfSilence } from '../refusal.ts'
import { TIKTOK_ERRORS } from './errors.ts'

export type Caller = { settings: Settings; token: string }

/** A call of the API. TikTok knows its paths with a slash at their end alone. */
export function apiCall(
  { settings, token }: Caller,
  path: string,
  body: unknown,
  query?: Record<string, string>,
): Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'> {
  return {
    method: 'POST',
    url: addressOf(settings['apiUrl'] ?? '', path, query),
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json; charset=UTF-8',
    },
    body: JSON.stringify(body),
  }
}

/** Makes a call of the API for a post. */
export function callApi(
  input: Pick<PublishInput, 'settings' | 'token' | 'signal'>,
  path: string,
  body: unknown,
  { timeoutMs, query }: { timeoutMs: number; query?: Record<string, string> },
): Promise<HttpResult> {
  return request({ ...apiCall(input, path, body, query), timeoutMs, signal: input.signal })
}

const Envelope = z.object({ data: z.unknown(), error: z.object({ code: z.string() }) })

/** What an answer brings, or undefined when it is a refusal or not readable: `ok` stands in the body, whatever the status. */
export function dataOf<T extends z.ZodType>(
  schema: T,
  { status, text }: HttpResponse,
): z.output<T> | undefined {
  const envelope = status === 200 ? Envelope.safeParse(parse(text)).data : undefined
  return envelope?.error.code === 'ok' ? schema.safeParse(envelope.data).data : undefined
}

/** What it means for a step that makes nothing live that a call brought nothing. */
export function notBrought(result: HttpResult): NotPublished {
  return asPreparing(
    result.kind === 'response'
      ? meaningOf(result, TIKTOK_ERRORS, Date.now())
      : meaningOfSilence(result, 'TikTok'),
  )
}

/** Ids are numbers of 19 digits, more than a number holds; such ones are kept as the text that they are. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits)
  } catch {
    return undefined
  }
}

function keepDigits(_name: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(value)
    ? (context?.source ?? value)
    : value
}
