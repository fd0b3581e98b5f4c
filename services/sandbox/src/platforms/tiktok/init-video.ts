import { z } from 'zod'
import type { Answer, Call } from '../../call.ts'
import { fetchFile } from '../../fetch-file.ts'
import { randomText } from '../../random-text.ts'
import type { OperationKind } from '../../stand-in.ts'
import { authenticate, readBody } from './authenticate.ts'
import { requireLeave } from './creator.ts'
import { judgeVideo, store } from './judge-files.ts'
import { requireOwnUrl } from './own-url.ts'
import { acceptInfo, VideoInfo } from './post-info.ts'
import { envelope, refuseParams } from './refusals.ts'
import type { Tiktok } from './server.ts'
import type { Publishing, Upload } from './state.ts'

const MB = 1024 * 1024
const MAX_BYTES = 4 * 1024 * MB

const Body = z.object({
  post_info: VideoInfo,
  source_info: z.discriminatedUnion('source', [
    z.object({
      source: z.literal('FILE_UPLOAD'),
      video_size: z.int().positive(),
      chunk_size: z.int().positive(),
      total_chunk_count: z.int().positive(),
    }),
    z.object({ source: z.literal('PULL_FROM_URL'), video_url: z.string() }),
  ]),
})

/** `POST /v2/post/publish/video/init/`: begins a post; one whose video TikTok fetches is then on its way. */
export async function initVideo(tiktok: Tiktok, call: Call): Promise<Answer> {
  const account = authenticate(tiktok, call, 'video.publish')
  const { post_info, source_info } = readBody(Body, call)
  requireLeave(tiktok, account)
  const info = acceptInfo(account, post_info, { title: 2200, description: 0 })
  const isUpload = source_info.source === 'FILE_UPLOAD'
  const upload = isUpload
    ? acceptChunks(source_info.video_size, source_info.chunk_size, source_info.total_chunk_count)
    : null
  if (!isUpload) requireOwnUrl(source_info.video_url)
  const publishing: Omit<Publishing, 'chunks'> = {
    publishId: `v_${isUpload ? 'file' : 'pub_url'}~v2-1.${tiktok.newPostId()}`,
    postId: tiktok.newPostId(),
    accountId: account.id,
    kind: 'video',
    info,
    begunAt: tiktok.now(),
    upload,
  }
  tiktok.record({ type: 'begun', publishing })
  const { publishId } = publishing
  if (upload) return envelope(200, { publish_id: publishId, upload_url: uploadUrl(tiktok, upload) })
  if (!isUpload) await pull(tiktok, publishing, source_info.video_url)
  return { ...envelope(200, { publish_id: publishId }), applied: publishing.postId }
}

/** Only what needs no upload is a commit. */
export function kindOfInit({ body }: Call): OperationKind {
  return body.includes('"PULL_FROM_URL"') ? 'commit' : 'media'
}

/** All chunks have one size of 5 to 64 MB, and what is left over belongs to the last one; a small video is one chunk. */
function acceptChunks(videoBytes: number, chunkBytes: number, chunkCount: number): Upload {
  if (videoBytes > MAX_BYTES) refuseParams('The video is too large.')
  const isWhole = chunkBytes === videoBytes && chunkBytes <= 64_000_000
  if (!isWhole && (chunkBytes < 5 * MB || chunkBytes > 64_000_000))
    refuseParams('The chunk size is invalid.')
  if (chunkCount !== Math.floor(videoBytes / chunkBytes) || chunkCount > 1000)
    refuseParams('The total chunk count is invalid.')
  if (videoBytes - (chunkCount - 1) * chunkBytes > 128_000_000)
    refuseParams('The last chunk is too large.')
  return { id: randomText(12), token: randomText(), videoBytes, chunkBytes, chunkCount }
}

function uploadUrl({ baseUrl }: Tiktok, { id, token }: Upload): string {
  return `${baseUrl()}/video/?upload_id=${id}&upload_token=${token}`
}

async function pull(tiktok: Tiktok, publishing: Omit<Publishing, 'chunks'>, url: string) {
  const { publishId, info } = publishing
  const file = await fetchFile(url, MAX_BYTES)
  const complete =
    'problem' in file
      ? { files: [], failReason: 'video_pull_failed' }
      : { files: [store(tiktok, file)], failReason: judgeVideo(file, info) }
  tiktok.record({ type: 'completed', publishId, complete: { at: tiktok.now(), ...complete } })
}
