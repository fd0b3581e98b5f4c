import { sendFile } from '../file-upload.ts'
import { type HttpRequest, type HttpResponse, request, type StreamedBody } from '../http.ts'
import type { NotPublished, PrepareInput } from '../platform.ts'
import { asPreparing, meaningOf, meaningOfSilence } from '../refusal.ts'
import { LINKEDIN_MEDIA_ERRORS } from './errors.ts'

const TIMEOUT_MS = 15_000

export type Answered = { outcome: 'answered'; response: HttpResponse }

/** Makes a call that publishes nothing. */
export async function call(
  input: Pick<PrepareInput, 'signal'>,
  what: Omit<HttpRequest, 'timeoutMs' | 'signal'>,
): Promise<Answered | NotPublished> {
  const result = await request({ ...what, timeoutMs: TIMEOUT_MS, signal: input.signal })
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, 'LinkedIn'))
  return judged(result)
}

/** Sends bytes to an address that LinkedIn has named for them. */
export async function put(
  { token, signal }: Pick<PrepareInput, 'token' | 'signal'>,
  url: string,
  { mimeType, body }: { mimeType: string; body: StreamedBody },
): Promise<Answered | NotPublished> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': mimeType }
  const sent = await sendFile({ method: 'PUT', url, headers, body, signal }, 'LinkedIn')
  return sent.outcome === 'answered' ? judged(sent.response) : sent
}

function judged(response: HttpResponse): Answered | NotPublished {
  return response.status >= 200 && response.status <= 299
    ? { outcome: 'answered', response }
    : asPreparing(meaningOf(response, LINKEDIN_MEDIA_ERRORS, Date.now()))
}

/** An answer in which nobody finds what was asked for. */
export const UNREADABLE: NotPublished = {
  outcome: 'transient',
  message: 'LinkedIn gave an unreadable answer about a file of the post.',
}
