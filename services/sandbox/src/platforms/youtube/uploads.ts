import { randomText } from '../../random-text.ts'
import { type Answer, type Call, jsonAnswer, Refusal } from '../../call.ts'
import type { OperationKind } from '../../stand-in.ts'
import { authenticate } from './authenticate.ts'
import { makeVideo } from './make-video.ts'
import { readMetadata } from './metadata.ts'
import { requirePart } from './parts.ts'
import { errorAnswer, refuse, unauthenticated } from './refusals.ts'
import type { Youtube } from './server.ts'
import type { Session } from './state.ts'
import { VIDEO_PARTS, videoView } from './videos.ts'

const SESSION_LASTS_MS = 7 * 86_400_000
const UNIT_BYTES = 262_144
const MAX_BYTES = 256 * 1024 ** 3

/** `POST /upload/youtube/v3/videos?uploadType=resumable`: begins an upload. */
export function openSession(youtube: Youtube, call: Call): Answer {
  const { id: accountId } = authenticate(youtube, call, ['upload'])
  if (call.query.get('uploadType') !== 'resumable')
    refuse(400, 'badRequest', { message: 'The sandbox takes resumable uploads alone.' })
  const parts = requirePart(call, VIDEO_PARTS)
  const mimeType = String(call.headers['x-upload-content-type'] ?? 'application/octet-stream')
  if (!/^video\/|^application\/octet-stream$/.test(mimeType))
    refuse(400, 'badContent', {
      message: `Media type '${mimeType}' is not supported. Valid media types: [video/*, application/octet-stream]`,
    })
  const announced = call.headers['x-upload-content-length']
  const totalBytes = announced === undefined ? null : Number(announced)
  if (
    totalBytes !== null &&
    !(Number.isInteger(totalBytes) && totalBytes > 0 && totalBytes <= MAX_BYTES)
  )
    refuse(400, 'badRequest', { message: 'Invalid X-Upload-Content-Length header.' })
  const metadata = readMetadata(call)
  youtube.quota.useUpload()
  const id = randomText()
  const createdAt = youtube.now()
  youtube.record({
    type: 'session-opened',
    session: { id, accountId, parts, metadata, totalBytes, createdAt },
  })
  const query = new URLSearchParams(call.query)
  query.set('upload_id', id)
  const location = `${youtube.baseUrl()}${call.path}?${query.toString()}`
  return { status: 200, headers: { location, 'x-guploader-uploadid': id }, body: '' }
}

type Range = { from: number; to: number; total: number } | { total: number } | undefined

/** `PUT` to the address of an upload: a part of it, or the question how far it has come. */
export async function continueUpload(youtube: Youtube, call: Call): Promise<Answer> {
  const session = sessionOf(youtube, call)
  if (!session || session.createdAt + SESSION_LASTS_MS <= youtube.now())
    throw new Refusal(errorAnswer(404, 'notFound', { message: 'Not Found' }))
  // The address is all that an upload needs; but a token that is sent must be good.
  if (call.headers.authorization !== undefined) authenticate(youtube, call, ['upload'])
  if (!youtube.provider.account(session.accountId)) throw new Refusal(unauthenticated())
  const video =
    session.videoId === undefined ? undefined : youtube.state.videos.get(session.videoId)
  if (video) return jsonAnswer(200, videoView(youtube, video, session.parts))
  const range = rangeOf(call)
  if (!range) return refuseRange('Failed to parse Content-Range header.')
  if (session.totalBytes !== null && range.total !== session.totalBytes)
    return refuseRange('Invalid request. The total size is not the one that was announced.')
  if (!('from' in range)) return incomplete(session)
  storePart(youtube, session, range, call.body)
  if (storedBytes(session) < range.total) return incomplete(session)
  const made = makeVideo(youtube, session)
  return { ...jsonAnswer(200, videoView(youtube, made, session.parts)), applied: made.id }
}

/** The last part makes the video, the others bring bytes, and without bytes it is a question. */
export function kindOfUpload(call: Call): OperationKind {
  const range = rangeOf(call)
  if (!range) return 'media'
  if (!('from' in range)) return 'read'
  return range.to + 1 === range.total ? 'commit' : 'media'
}

export function sessionOf({ state }: Youtube, { query }: Call): Session | undefined {
  return state.sessions.get(query.get('upload_id') ?? '')
}

/** Without a `Content-Range` the body is the whole video. */
function rangeOf({ headers, body }: Call): Range {
  const text = headers['content-range']
  if (text === undefined) return { from: 0, to: body.length - 1, total: body.length }
  const [, from, to, total] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/.exec(text) ?? []
  if (total === undefined) return undefined
  return from === undefined || to === undefined
    ? { total: Number(total) }
    : { from: Number(from), to: Number(to), total: Number(total) }
}

/** What came before is passed over. A part with a gap before it, or of an odd length in the middle, is refused. */
function storePart(
  youtube: Youtube,
  session: Session,
  { from, to, total }: { from: number; to: number; total: number },
  body: Buffer,
): void {
  const expected = to - from + 1
  if (to >= total || body.length !== expected)
    refuseRange(
      `Invalid request. There were ${body.length} byte(s) in the request body. There should have been ${expected} byte(s) (starting at offset ${from} and ending at offset ${to}) according to the Content-Range header.`,
    )
  const stored = storedBytes(session)
  if (from > stored)
    refuseRange(
      `Invalid request. According to the Content-Range header, the upload offset is ${from} byte(s), which exceeds already uploaded size of ${stored} byte(s).`,
    )
  if (to + 1 < total && expected % UNIT_BYTES !== 0)
    refuseRange(`Invalid request. The size of a part must be a multiple of ${UNIT_BYTES} bytes.`)
  const bytes = body.subarray(stored - from)
  if (bytes.length === 0) return
  const sha256 = youtube.files.put(bytes)
  youtube.record({ type: 'part-stored', sessionId: session.id, sha256, sizeBytes: bytes.length })
}

function storedBytes({ stored }: Session): number {
  return stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

function incomplete(session: Session): Answer {
  const stored = storedBytes(session)
  const headers: Record<string, string> = stored === 0 ? {} : { range: `bytes=0-${stored - 1}` }
  return { status: 308, headers, body: '' }
}

function refuseRange(message: string): never {
  return refuse(400, 'badRequest', { message })
}
