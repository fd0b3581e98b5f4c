import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { refuse, refuseParameter, refuseUnknown } from '../../graph/errors.ts'
import { failureIn } from '../../fail-on-command.ts'
import { fieldsOf, select, timeText } from '../../graph/fields.ts'
import { newGraphId } from '../../graph/ids.ts'
import { pullVideo } from '../../graph/pull-media.ts'
import type { OperationKind } from '../../stand-in.ts'
import { type Facebook, ownPage, VERSION } from './pages.ts'
import type { Media, Video } from './state.ts'

const PROCESSING_MS = 1500
const MAX_BYTES = 2_000_000_000
const MAX_REELS = 30
const DAY_MS = 86_400_000
const MOST = 100

/** `POST /:page/videos`: fetches a video and publishes it when it is processed. */
export async function postVideo(facebook: Facebook, call: Call): Promise<Answer> {
  const page = ownPage(facebook, call)
  const fields = fieldsOf(call)
  const url = fields['file_url'] ?? ''
  if (!URL.canParse(url)) refuseParameter('Missing or invalid video file', { code: 389 })
  const { world, part } = facebook
  const pulled = await pullVideo(world, url, null, MAX_BYTES)
  if ('problem' in pulled && pulled.problem === 'unreachable') refuseUnreachable()
  const media = 'media' in pulled ? pulled.media : null
  const description = fields['description'] ?? ''
  const isPublished = fields['published'] !== 'false'
  const video: Video = {
    ...newVideo(facebook, page.id),
    isReel: false,
    media,
    description,
    title: fields['title'] ?? '',
    publishedAt: isPublished ? world.now() : null,
    readyAt: world.now() + PROCESSING_MS,
    problem: failureIn(description) ?? (media ? null : 'The video file is corrupt.'),
  }
  part.record({ type: 'video-changed', video })
  return { ...jsonAnswer(200, { id: video.id }), ...(isPublished && { applied: video.id }) }
}

function refuseUnreachable(): never {
  refuse({
    message: '(#389) Unable to fetch video file from URL.',
    code: 389,
    subcode: 1363057,
    isTransient: false,
  })
}

function newVideo({ world }: Facebook, pageId: string): Video {
  return {
    id: newGraphId(),
    pageId,
    isReel: true,
    media: null,
    uploadProblem: null,
    description: '',
    title: '',
    publishedAt: null,
    readyAt: null,
    problem: null,
    madeAt: world.now(),
  }
}

/** A reel is begun and finished at the same address. */
export function kindOfReel(call: Call): OperationKind {
  return fieldsOf(call)['upload_phase']?.toLowerCase() === 'finish' ? 'commit' : 'media'
}

/** `POST /:page/video_reels`: begins a reel, or publishes one whose video is there. */
export function postReel(facebook: Facebook, call: Call): Answer {
  const page = ownPage(facebook, call)
  const fields = fieldsOf(call)
  switch (fields['upload_phase']?.toLowerCase() ?? '') {
    case 'start': {
      const video = newVideo(facebook, page.id)
      facebook.part.record({ type: 'video-changed', video })
      const url = `${facebook.world.baseUrl()}/video-upload/${VERSION}/${video.id}`
      return jsonAnswer(200, { video_id: video.id, upload_url: url })
    }
    case 'finish':
      return finishReel(facebook, page.id, fields)
    default:
      return refuseParameter('Param upload_phase must be one of {START, FINISH}')
  }
}

function finishReel(facebook: Facebook, pageId: string, fields: Record<string, string>): Answer {
  const { world, part } = facebook
  const video = part.state.videos.get(fields['video_id'] ?? '')
  if (!video || video.pageId !== pageId || !video.isReel) refuseParameter('Invalid video_id')
  if (fields['video_state'] !== 'PUBLISHED')
    refuseParameter('The sandbox publishes reels at once: video_state must be PUBLISHED')
  if (!video.media && video.problem === null)
    refuse({ message: 'The video is not uploaded', code: 6000, subcode: 1363130, status: 400 })
  if (video.publishedAt !== null) refuseParameter('The reel is published already')
  if (reelsToday(facebook, pageId) >= MAX_REELS)
    refuse({ message: '(#613) Calls to this API have exceeded the rate limit.', code: 613 })
  const description = fields['description'] ?? ''
  const changed: Video = {
    ...video,
    description,
    title: fields['title'] ?? '',
    publishedAt: world.now(),
    readyAt: world.now() + PROCESSING_MS,
    problem: failureIn(description) ?? video.problem ?? (video.media && shapeProblem(video.media)),
  }
  part.record({ type: 'video-changed', video: changed })
  return { ...jsonAnswer(200, { success: true, post_id: newGraphId() }), applied: video.id }
}

function reelsToday({ world, part }: Facebook, pageId: string): number {
  return [...part.state.videos.values()].filter(
    (video) =>
      video.pageId === pageId &&
      video.isReel &&
      video.publishedAt !== null &&
      video.publishedAt > world.now() - DAY_MS,
  ).length
}

function shapeProblem({ width, height }: Media): string | null {
  const isFine =
    width !== null &&
    height !== null &&
    width >= 540 &&
    height >= 960 &&
    Math.abs(width / height - 9 / 16) < 0.02
  return isFine ? null : 'The video must be 9 to 16 and have 540 by 960 pixels.'
}

/** `POST /video-upload/:version/:id`: the host for videos, which fetches one from the address in a header. */
export async function uploadReel(facebook: Facebook, call: Call): Promise<Answer> {
  const page = ownPage(facebook, { ...call, params: { page: 'me' } })
  const { world, part } = facebook
  const video = part.state.videos.get(call.params['id'] ?? '')
  if (!video || video.pageId !== page.id) refuseUnknown(call.params['id'] ?? '')
  const url = call.headers['file_url']
  if (typeof url !== 'string' || !URL.canParse(url))
    refuseParameter('The header file_url is missing or no address')
  const pulled = await pullVideo(world, url, null, MAX_BYTES)
  const changed: Video =
    'media' in pulled
      ? { ...video, media: pulled.media, uploadProblem: null }
      : pulled.problem === 'no-video'
        ? { ...video, problem: 'The video file is corrupt.' }
        : { ...video, uploadProblem: 'The video could not be fetched.' }
  part.record({ type: 'video-changed', video: changed })
  return jsonAnswer(200, { success: true })
}

/** `GET /:page/videos`: the Page's videos, newest first. */
export function listVideos(facebook: Facebook, call: Call): Answer {
  const page = ownPage(facebook, call)
  const videos = [...facebook.part.state.videos.values()]
    .filter(({ pageId, publishedAt }) => pageId === page.id && publishedAt !== null)
    .toReversed()
    .slice(0, Math.min(Number(fieldsOf(call)['limit'] ?? 25), MOST))
  const data = videos.map((video) =>
    select(call, videoView(facebook, video), ['id', 'description', 'updated_time']),
  )
  return jsonAnswer(200, { data, paging: { cursors: { before: 'QVFI', after: 'QVFJ' } } })
}

export function videoView(facebook: Facebook, video: Video) {
  const { id, pageId, description, title, publishedAt, madeAt, isReel } = video
  return {
    id,
    description: description === '' ? null : description,
    title: title === '' ? null : title,
    created_time: timeText(publishedAt ?? madeAt),
    updated_time: timeText(publishedAt ?? madeAt),
    published: publishedAt !== null,
    // Facebook leaves out the host.
    permalink_url: isReel ? `/reel/${id}/` : `/${pageId}/videos/${id}/`,
    status: statusOf(facebook, video),
  }
}

/** Where a video is in its three phases. */
function statusOf({ world }: Facebook, video: Video) {
  if (video.uploadProblem !== null)
    return {
      video_status: 'error',
      uploading_phase: { status: 'error', errors: [{ message: video.uploadProblem }] },
      processing_phase: { status: 'not_started' },
      publishing_phase: { status: 'not_started' },
    }
  const isThere = video.media !== null || video.problem !== null
  const uploading = { status: isThere ? 'complete' : 'not_started' }
  if (video.readyAt === null)
    return {
      video_status: isThere ? 'upload_complete' : 'uploading',
      uploading_phase: uploading,
      processing_phase: { status: 'not_started' },
      publishing_phase: { status: 'not_started' },
    }
  if (video.readyAt > world.now())
    return {
      video_status: 'processing',
      uploading_phase: uploading,
      processing_phase: { status: 'in_progress' },
      publishing_phase: { status: 'not_started' },
    }
  if (video.problem !== null)
    return {
      video_status: 'error',
      uploading_phase: uploading,
      processing_phase: { status: 'error', errors: [{ code: 1363042, message: video.problem }] },
      publishing_phase: { status: 'not_started' },
    }
  return {
    video_status: 'ready',
    uploading_phase: uploading,
    processing_phase: { status: 'complete' },
    publishing_phase: {
      status: video.publishedAt === null ? 'not_started' : 'complete',
      publish_status: video.publishedAt === null ? 'draft' : 'published',
      publish_time: timeText(video.publishedAt ?? video.madeAt),
    },
  }
}

/** Whether everybody can see it. */
export function isLive({ world }: Facebook, { publishedAt, readyAt, problem }: Video): boolean {
  return publishedAt !== null && readyAt !== null && readyAt <= world.now() && problem === null
}
