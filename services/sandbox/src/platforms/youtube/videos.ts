import { type Answer, type Call, jsonAnswer, Refusal } from '../../call.ts'
import { html, lines, pageAnswer } from '../../html.ts'
import { authenticate } from './authenticate.ts'
import { only, requirePart } from './parts.ts'
import { errorAnswer, refuse } from './refusals.ts'
import type { Youtube } from './server.ts'
import type { Video } from './state.ts'

export const VIDEO_PARTS = ['id', 'snippet', 'status', 'contentDetails', 'processingDetails']

/** `GET /youtube/v3/videos?id=`: those that the caller may see. */
export function listVideos(youtube: Youtube, call: Call): Answer {
  const account = authenticate(youtube, call, ['readonly'])
  const parts = requirePart(call, VIDEO_PARTS)
  const ids = call.query.get('id')?.split(',') ?? []
  if (ids.length === 0)
    refuse(400, 'missingRequiredParameter', {
      message: 'No filter selected. Expected one of: chart, id, myRating',
    })
  youtube.quota.useUnit()
  const videos = ids
    .flatMap((id) => youtube.state.videos.get(id) ?? [])
    .filter((video) => video.accountId === account.id || video.metadata.privacyStatus !== 'private')
  return jsonAnswer(200, {
    kind: 'youtube#videoListResponse',
    etag: 'etag',
    pageInfo: { totalResults: videos.length, resultsPerPage: videos.length },
    items: videos.map((video) => videoView(youtube, video, parts)),
  })
}

/** A video with the parts that are asked for. */
export function videoView(
  youtube: Youtube,
  video: Video,
  parts: readonly string[],
): Record<string, unknown> {
  const { title, description, tags, categoryId } = video.metadata
  const channelTitle = youtube.provider.account(video.accountId)?.username ?? ''
  const isProcessed = video.processedAt <= youtube.now()
  return only(parts, {
    kind: 'youtube#video',
    etag: 'etag',
    id: video.id,
    snippet: {
      publishedAt: new Date(video.publishedAt).toISOString().replace(/\.\d+Z$/, 'Z'),
      channelId: video.accountId,
      title,
      description,
      thumbnails: {},
      channelTitle,
      ...(tags.length > 0 && { tags }),
      categoryId,
      liveBroadcastContent: 'none',
      localized: { title, description },
    },
    status: statusOf(video, isProcessed),
    contentDetails: { dimension: '2d', definition: 'hd', caption: 'false', licensedContent: false },
    processingDetails: { processingStatus: processingOf(video, isProcessed) },
  })
}

function statusOf({ fate, metadata }: Video, isProcessed: boolean): Record<string, unknown> {
  const { uploadStatus, reason } = fate
  return {
    uploadStatus: isProcessed ? uploadStatus : 'uploaded',
    ...(isProcessed && uploadStatus === 'failed' && { failureReason: reason }),
    ...(isProcessed && uploadStatus === 'rejected' && { rejectionReason: reason }),
    privacyStatus: metadata.privacyStatus,
    license: 'youtube',
    embeddable: true,
    publicStatsViewable: true,
    madeForKids: metadata.madeForKids,
    selfDeclaredMadeForKids: metadata.madeForKids,
    containsSyntheticMedia: metadata.containsSyntheticMedia,
  }
}

function processingOf({ fate }: Video, isProcessed: boolean): string {
  if (!isProcessed) return 'processing'
  return fate.uploadStatus === 'processed' ? 'succeeded' : 'failed'
}

/** Whether people can see it, or will once it is processed. */
export function isLive({ now }: Youtube, { fate, processedAt }: Video): boolean {
  return fate.uploadStatus === 'processed' || processedAt > now()
}

export function watchUrl({ baseUrl }: Youtube, { id }: Video): string {
  return `${baseUrl()}/watch?v=${id}`
}

export function fileUrl({ baseUrl }: Youtube, { id }: Video): string {
  return `${baseUrl()}/videoplayback/${id}`
}

/** `GET /watch?v=` */
export function showVideo(youtube: Youtube, { query }: Call): Answer {
  const video = youtube.state.videos.get(query.get('v') ?? '')
  if (!video || !isLive(youtube, video))
    return pageAnswer(404, 'Video unavailable', html`<h1>This video isn't available anymore</h1>`)
  return pageAnswer(
    200,
    video.metadata.title,
    html`<article>
      <video controls preload="metadata" src="${fileUrl(youtube, video)}"></video>
      <h1>${video.metadata.title}</h1>
      <p>${lines(video.metadata.description)}</p>
      <p class="dim">${video.metadata.privacyStatus}</p>
    </article>`,
  )
}

/** `GET /videoplayback/:id`: the bytes of a video. */
export function showFile({ state, files }: Youtube, { params }: Call): Answer {
  const video = state.videos.get(params['id'] ?? '')
  const body = video && files.get(video.sha256)
  if (!body) throw new Refusal(errorAnswer(404, 'notFound', { message: 'Not Found' }))
  return { status: 200, headers: { 'content-type': video.mimeType }, body }
}
