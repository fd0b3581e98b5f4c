import { z } from 'zod'
import type { Answer, Call } from '../../call.ts'
import { html, lines, pageAnswer } from '../../html.ts'
import { authenticate, readBody } from './authenticate.ts'
import { envelope, errorAnswer, refuse, refuseParams } from './refusals.ts'
import type { Tiktok } from './server.ts'
import type { Publishing } from './state.ts'
import { uploadedBytes } from './uploads.ts'

const PROCESSING_MS = 1500
/** How long TikTok looks at a public post that is published before it gives it its id. */
const MODERATION_MS = 1000

const StatusBody = z.object({ publish_id: z.string() })

/** `POST /v2/post/publish/status/fetch/` */
export function fetchStatus(tiktok: Tiktok, call: Call): Answer {
  const { id } = authenticate(tiktok, call, 'video.publish')
  const { publish_id } = readBody(StatusBody, call)
  const publishing = tiktok.state.publishings.get(publish_id)
  if (publishing?.accountId !== id)
    refuse(400, 'invalid_publish_id', 'The publish_id does not exist.')
  const ids = isListed(tiktok, publishing) ? [publishing.postId] : []
  const { complete, upload } = publishing
  const bytes = complete ? sizeOf(publishing) : uploadedBytes(publishing)
  const answer = envelope(200, {
    status: statusOf(tiktok, publishing),
    ...(isJudged(tiktok, publishing) &&
      complete?.failReason != null && { fail_reason: complete.failReason }),
    publicaly_available_post_id: ids.map((postId) => `int64:${postId}`),
    ...(upload ? { uploaded_bytes: bytes } : { downloaded_bytes: bytes }),
  })
  // The ids are numbers, and too long for those of JavaScript.
  return { ...answer, body: String(answer.body).replace(/"int64:(\d+)"/g, '$1') }
}

function statusOf(tiktok: Tiktok, publishing: Publishing): string {
  if (!isJudged(tiktok, publishing))
    return publishing.upload ? 'PROCESSING_UPLOAD' : 'PROCESSING_DOWNLOAD'
  return publishing.complete?.failReason === null ? 'PUBLISH_COMPLETE' : 'FAILED'
}

function isJudged({ now }: Tiktok, { complete }: Publishing): boolean {
  return complete !== undefined && complete.at + PROCESSING_MS <= now()
}

/** Whether people can see it, as far as its privacy lets them. */
export function isLive(tiktok: Tiktok, publishing: Publishing): boolean {
  return isJudged(tiktok, publishing) && publishing.complete?.failReason === null
}

/** Whether everybody can see it, and TikTok has looked at it. */
function isListed(tiktok: Tiktok, publishing: Publishing): boolean {
  const { complete, info } = publishing
  const isPublic = info.privacyLevel === 'PUBLIC_TO_EVERYONE'
  const listedAt = (complete?.at ?? Infinity) + PROCESSING_MS + MODERATION_MS
  return isPublic && isLive(tiktok, publishing) && listedAt <= tiktok.now()
}

function sizeOf({ complete }: Publishing): number {
  return (complete?.files ?? []).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

const ListBody = z.object({
  cursor: z.int().optional(),
  max_count: z.int().min(1).max(20).optional(),
})

/** `POST /v2/video/list/?fields=`: the latest public posts first. */
export function listVideos(tiktok: Tiktok, call: Call): Answer {
  const { id } = authenticate(tiktok, call, 'video.list')
  const { max_count: count = 10, cursor = Infinity } = readBody(ListBody, call)
  const fields = (call.query.get('fields') ?? '').split(',').filter(Boolean)
  if (fields.length === 0) refuseParams('The fields are missing.')
  const all = [...tiktok.state.publishings.values()]
    .filter((one) => one.accountId === id && isListed(tiktok, one) && liveAt(one) < cursor)
    .toReversed()
  const page = all.slice(0, count)
  const videos = page.map((publishing) => {
    const { info } = publishing
    const view = {
      id: publishing.postId,
      create_time: Math.floor(liveAt(publishing) / 1000),
      title: info.title,
      video_description: info.description || info.title,
      share_url: postUrl(tiktok, publishing),
      duration: 0,
    }
    return Object.fromEntries(Object.entries(view).filter(([name]) => fields.includes(name)))
  })
  const last = page.at(-1)
  return envelope(200, {
    videos,
    cursor: last ? liveAt(last) : 0,
    has_more: all.length > page.length,
  })
}

export function liveAt({ complete, begunAt }: Publishing): number {
  return (complete?.at ?? begunAt) + PROCESSING_MS
}

export function postUrl({ baseUrl, provider }: Tiktok, publishing: Publishing): string {
  const username = provider.account(publishing.accountId)?.username ?? ''
  return `${baseUrl()}/@${username}/${publishing.kind}/${publishing.postId}`
}

export function fileUrl({ baseUrl }: Tiktok, { postId }: Publishing, index: number): string {
  return `${baseUrl()}/files/${postId}/${index}`
}

function find({ state }: Tiktok, postId: string | undefined): Publishing | undefined {
  return [...state.publishings.values()].find((one) => one.postId === postId)
}

/** `GET /@:username/:kind/:id` */
export function showPost(tiktok: Tiktok, { params }: Call): Answer {
  const found = find(tiktok, params['id'])
  if (!found || !isLive(tiktok, found))
    return pageAnswer(404, 'TikTok', html`<h1>Video currently unavailable</h1>`)
  const { title, description, privacyLevel } = found.info
  const files = (found.complete?.files ?? []).map((_, index) => fileUrl(tiktok, found, index))
  return pageAnswer(
    200,
    title || 'TikTok',
    html`<article>
      <p>${title}</p>
      <p>${lines(description)}</p>
      ${files.map((url) =>
        found.kind === 'video'
          ? html`<video controls preload="metadata" src="${url}"></video>`
          : html`<img loading="lazy" src="${url}" alt="" />`,
      )}
      <p class="dim">${privacyLevel}</p>
    </article>`,
  )
}

/** `GET /@:username`: the creator's profile. */
export function showProfile({ provider }: Tiktok, { params }: Call): Answer {
  const account = provider.accounts().find(({ username }) => username === params['username'])
  return account
    ? pageAnswer(200, `@${account.username}`, html`<h1>@${account.username}</h1>`)
    : pageAnswer(404, 'TikTok', html`<h1>Couldn't find this account</h1>`)
}

/** `GET /files/:id/:index`: the bytes of a post. */
export function showFile(tiktok: Tiktok, { params }: Call): Answer {
  const file = find(tiktok, params['id'])?.complete?.files[Number(params['index'])]
  const body = file && tiktok.files.get(file.sha256)
  return body
    ? { status: 200, headers: { 'content-type': file.mimeType }, body }
    : errorAnswer(404, 'not_found', 'There is no such file.')
}
