import { request, type HttpResponse, type HttpResult } from '../http.ts'
import { readJson } from '../read-json.ts'
import { Video } from './video.ts'

const PROBE_TIMEOUT_MS = 15_000
const LAST_TIMEOUT_MS = 30_000

/** All parts of an upload but the last have a multiple of these bytes. */
const UNIT_BYTES = 256 * 1024
const PART_BYTES = 32 * UNIT_BYTES

/** What a session says of its upload. */
export type SessionState =
  | { state: 'partial'; storedBytes: number }
  | { state: 'complete'; video: Video }
  /** It took the upload, or has done so before, but the answer cannot be read. */
  | { state: 'unreadable' }
  /** It has ended, or never was. */
  | { state: 'gone' }
  | { state: 'refused'; response: HttpResponse }

/** Where the last part begins. It is as short as can be, because it is what makes the video. */
export function lastPartStart(sizeBytes: number): number {
  return Math.floor((sizeBytes - 1) / UNIT_BYTES) * UNIT_BYTES
}

/** Where the part ends that begins at `from` and is not the last. */
export function partEnd(from: number, sizeBytes: number): number {
  return Math.min(from + PART_BYTES, lastPartStart(sizeBytes))
}

/** How a session is told which bytes come, `end` not among them. */
export function partHeaders(
  token: string,
  { from, end, sizeBytes }: { from: number; end: number; sizeBytes: number },
): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    'content-range': `bytes ${from}-${end - 1}/${sizeBytes}`,
  }
}

type Caller = { token: string; signal: AbortSignal }

/** Sends the last part, after which there is a video. */
export function sendLast(
  { token, signal }: Caller,
  session: string,
  { from, sizeBytes, bytes }: { from: number; sizeBytes: number; bytes: Uint8Array },
): Promise<HttpResult> {
  return request({
    method: 'PUT',
    url: session,
    headers: partHeaders(token, { from, end: sizeBytes, sizeBytes }),
    body: bytes,
    timeoutMs: LAST_TIMEOUT_MS,
    signal,
  })
}

/** Asks a session how far its upload has come. Changes nothing. */
export function probe(
  { token, signal }: Caller,
  session: string,
  sizeBytes: number,
): Promise<HttpResult> {
  return request({
    method: 'PUT',
    url: session,
    headers: { authorization: `Bearer ${token}`, 'content-range': `bytes */${sizeBytes}` },
    body: '',
    timeoutMs: PROBE_TIMEOUT_MS,
    signal,
  })
}

export function stateOf(response: HttpResponse): SessionState {
  const { status, headers, text } = response
  switch (status) {
    case 200:
    case 201: {
      const video = readJson(Video, text)
      return video ? { state: 'complete', video } : { state: 'unreadable' }
    }
    case 308:
      return partial(headers['range'])
    case 404:
    case 410:
      return { state: 'gone' }
    default:
      return { state: 'refused', response }
  }
}

/** `Range` names what is stored, from the first byte on; without one nothing is. */
function partial(range: string | undefined): SessionState {
  if (range === undefined) return { state: 'partial', storedBytes: 0 }
  const last = /^bytes=0-(\d{1,15})$/.exec(range)?.[1]
  return last === undefined
    ? { state: 'unreadable' }
    : { state: 'partial', storedBytes: Number(last) + 1 }
}
