import type { Answer, Call } from '../../call.ts'
import { describe } from '../../fetch-file.ts'
import type { OperationKind } from '../../stand-in.ts'
import { judgeVideo, store } from './judge-files.ts'
import { errorAnswer } from './refusals.ts'
import type { Tiktok } from './server.ts'
import type { Publishing, Upload } from './state.ts'

const URL_LASTS_MS = 3_600_000
const VIDEOS = ['video/mp4', 'video/quicktime', 'video/webm']

/** `PUT` to an `upload_url`: the next chunk of a video. */
export function storeChunk(tiktok: Tiktok, call: Call): Answer {
  const publishing = publishingOf(tiktok, call)
  const upload = publishing?.upload
  if (!upload || upload.token !== call.query.get('upload_token'))
    return plain(404, 'The upload is unknown.')
  if (publishing.begunAt + URL_LASTS_MS <= tiktok.now())
    return plain(403, 'The upload_url has expired.')
  const range = rangeOf(call)
  const mimeType = String(call.headers['content-type'] ?? '')
  if (!range || !VIDEOS.includes(mimeType)) return plain(400, 'A header is malformed.')
  const expected = nextChunk(publishing, upload)
  if (
    range.from !== expected?.from ||
    range.to !== expected.to ||
    range.total !== upload.videoBytes ||
    call.body.length !== range.to - range.from + 1
  )
    return plain(416, 'The Content-Range is not that of the next chunk.')
  const { publishId } = publishing
  const sha256 = tiktok.files.put(call.body)
  const sizeBytes = call.body.length
  tiktok.record({ type: 'chunk-stored', publishId, sha256, sizeBytes })
  const headers = { 'content-range': `bytes 0-${range.to}/${range.total}` }
  if (range.to + 1 < range.total) return { status: 206, headers, body: '' }
  const applied = complete(tiktok, publishing)
  return { status: 201, headers, body: '', ...(applied && { applied: publishing.postId }) }
}

/** The last chunk is the commit. */
export function kindOfChunk(call: Call): OperationKind {
  const range = rangeOf(call)
  return range && range.to + 1 === range.total ? 'commit' : 'media'
}

export function publishingOf({ state }: Tiktok, { query }: Call): Publishing | undefined {
  const id = query.get('upload_id')
  return [...state.publishings.values()].find(({ upload }) => upload?.id === id)
}

export function uploadedBytes({ chunks }: Publishing): number {
  return chunks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

/** Answers whether the video will be published. */
function complete(tiktok: Tiktok, { publishId, chunks, info }: Publishing): boolean {
  const parts = chunks.map(({ sha256 }) => tiktok.files.get(sha256) ?? Buffer.of())
  const file = describe(Buffer.concat(parts), '')
  const failReason = judgeVideo(file, info)
  const files = [store(tiktok, file)]
  tiktok.record({
    type: 'completed',
    publishId,
    complete: { at: tiktok.now(), files, failReason },
  })
  return failReason === null
}

/** Chunks come one after the other; undefined when all have come. */
function nextChunk({ chunks }: Publishing, { videoBytes, chunkBytes, chunkCount }: Upload) {
  const index = chunks.length
  if (index >= chunkCount) return undefined
  const from = index * chunkBytes
  return { from, to: index === chunkCount - 1 ? videoBytes - 1 : from + chunkBytes - 1 }
}

function rangeOf({ headers }: Call) {
  const [, from, to, total] =
    /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
  return total === undefined
    ? undefined
    : { from: Number(from), to: Number(to), total: Number(total) }
}

function plain(status: number, message: string): Answer {
  return errorAnswer(status, 'upload_failed', message)
}
