import { z } from 'zod'
import { isBlank } from '../blank.ts'
import { type HttpRequest, type HttpResponse, request } from '../http.ts'
import type { CommitOutcome, MediaFacts, Prepared, PublishInput } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { meaningOfSilence } from '../refusal.ts'
import { apiHeaders, apiUrl, form } from './api.ts'
import { awaitPost } from './await-post.ts'
import { isRefusal, meaningOfRefusal } from './errors.ts'
import { liveAt, type PostOptions, readPost } from './post.ts'
import { readStep, type Step, type Upload } from './step.ts'

const TIMEOUT_MS = 30_000

/** A post that is live has an address; one with a file is made later, and a websocket tells of it. */
const Submitted = z.object({
  json: z.object({
    data: z.object({ url: z.string().nullish(), websocket_url: z.string().nullish() }),
  }),
})

/** Posts a text, a link, one file, or a gallery. */
export async function submit(input: PublishInput & Prepared): Promise<CommitOutcome> {
  const read = readPost(input)
  if (read.outcome !== 'read') return read
  const call = callOf(input, read.options, readStep(input.step))
  if (!call) return { outcome: 'permanent', errorCode: 'media_missing', message: NOT_UPLOADED }
  const result = await request({
    method: 'POST',
    ...call,
    timeoutMs: TIMEOUT_MS,
    signal: input.signal,
  })
  if (result.kind !== 'response') return meaningOfSilence(result, 'Reddit')
  if (result.status !== 200 || isRefusal(result.text)) return meaningOfRefusal(result, Date.now())
  return await readSubmitted(result, input.signal)
}

const NOT_UPLOADED = 'A file of the post was not uploaded. Create the post again.'

async function readSubmitted({ text }: HttpResponse, signal: AbortSignal): Promise<CommitOutcome> {
  const { url, websocket_url: socket } = readJson(Submitted, text)?.json.data ?? {}
  const live = liveAt(url, new Date())
  if (live) return { outcome: 'published', ...live }
  if (!socket)
    return { outcome: 'unknown', message: 'Reddit took the post, but its answer is not readable.' }
  const news = await awaitPost(socket, signal)
  if (news.type === 'failed')
    return {
      outcome: 'permanent',
      errorCode: 'media_unfit',
      message: 'Reddit could not process the file of the post.',
    }
  const made = news.type === 'success' ? liveAt(news.payload.redirect, new Date()) : undefined
  return made
    ? { outcome: 'published', ...made }
    : {
        outcome: 'unknown',
        message: 'Reddit took the post and is still working on its file.',
        isWorking: true,
      }
}

type Call = Pick<HttpRequest, 'url' | 'headers' | 'body'>

/** The call that makes the post, or undefined when one of its files was not uploaded. */
function callOf(input: PublishInput, options: PostOptions, step: Step): Call | undefined {
  const uploads = input.media.flatMap(({ id }) => step.uploads[id] ?? [])
  if (uploads.length !== input.media.length) return undefined
  if (uploads.length > 1) return gallery(input, options, uploads)
  const kind = kindOf(options, input.media[0], uploads[0], step.poster)
  if (!kind) return undefined
  const { nsfw = false, spoiler = false, sendReplies = true, flairId } = options
  const { contentType, body } = form({
    api_type: 'json',
    sr: options.subreddit,
    title: options.title,
    ...kind,
    ...(!isBlank(input.text) && { text: input.text }),
    ...(flairId !== undefined && { flair_id: flairId }),
    nsfw: String(nsfw),
    spoiler: String(spoiler),
    sendreplies: String(sendReplies),
    // Whoever schedules a link again means it.
    resubmit: 'true',
    validate_on_submit: 'true',
  })
  const headers = { ...apiHeaders(input), ...contentType }
  return { url: apiUrl(input, '/api/submit'), headers, body }
}

function kindOf(
  { link }: PostOptions,
  file: MediaFacts | undefined,
  upload: Upload | undefined,
  poster: Upload | undefined,
): Record<string, string> | undefined {
  if (!file || !upload) return link === undefined ? { kind: 'self' } : { kind: 'link', url: link }
  if (file.type !== 'video') return { kind: 'image', url: upload.url }
  return poster && { kind: 'video', url: upload.url, video_poster_url: poster.url }
}

function gallery(input: PublishInput, options: PostOptions, uploads: Upload[]): Call {
  const { subreddit, title, nsfw = false, spoiler = false, sendReplies = true, flairId } = options
  return {
    url: apiUrl(input, '/api/submit_gallery_post.json'),
    headers: { ...apiHeaders(input), 'content-type': 'application/json' },
    body: JSON.stringify({
      api_type: 'json',
      sr: subreddit,
      title,
      ...(!isBlank(input.text) && { text: input.text }),
      items: uploads.map(({ assetId }) => ({ media_id: assetId, caption: '', outbound_url: '' })),
      flair_id: flairId,
      nsfw,
      spoiler,
      sendreplies: sendReplies,
      show_error_list: true,
      validate_on_submit: true,
    }),
  }
}
