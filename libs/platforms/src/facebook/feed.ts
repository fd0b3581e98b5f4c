import type { FacebookOptions } from '@herald/contracts/options/facebook'
import { z } from 'zod'
import { clockAhead } from '../clock-ahead.ts'
import { graphCall } from '../graph.ts'
import type {
  CommitOutcome,
  Live,
  LookUpInput,
  LookUpOutcome,
  Prepared,
  PublishInput,
} from '../platform.ts'
import { readJson } from '../read-json.ts'
import { meaningOf, meaningOfSilence, reason } from '../refusal.ts'
import { FACEBOOK_ERRORS } from './errors.ts'
import { linkTo, readStep } from './step.ts'

const COMMIT_TIMEOUT_MS = 30_000
const LIST_TIMEOUT_MS = 15_000
const LIST_LIMIT = 25
const CLOCK_TOLERANCE_MS = 5_000

const Posted = z.object({
  id: z.string().min(1),
  permalink_url: z.string().nullish(),
  created_time: z.string().nullish(),
})

/** Makes a post of a text, a link or the pictures that were brought: the one call that makes it live. */
export async function postToFeed(
  input: PublishInput & Prepared,
  { link }: z.infer<typeof FacebookOptions>,
): Promise<CommitOutcome> {
  const photos = photosOf(input)
  if (photos.length < input.media.length)
    return { outcome: 'permanent', errorCode: 'media_missing', message: NOT_BROUGHT }
  const attached = JSON.stringify(photos.map((id) => ({ media_fbid: id })))
  const fields = {
    ...(input.text !== '' && { message: input.text }),
    ...(link !== undefined && photos.length === 0 && { link }),
    ...(photos.length > 0 && { attached_media: attached }),
    published: 'true',
    // With these the answer says where the post is.
    fields: 'id,permalink_url,created_time',
  }
  const path = `/${input.account}/feed`
  const result = await graphCall(input, 'POST', path, fields, COMMIT_TIMEOUT_MS)
  if (result.kind !== 'response') return meaningOfSilence(result, 'Facebook')
  if (result.status !== 200) return meaningOf(result, FACEBOOK_ERRORS, Date.now())
  const posted = readJson(Posted, result.text)
  return posted
    ? { outcome: 'published', ...liveOf(input, posted) }
    : { outcome: 'unknown', message: 'Facebook took the post, but its answer is not readable.' }
}

const NOT_BROUGHT = 'A picture of the post was not sent. Create the post again.'

function photosOf({ media, step }: PublishInput & Prepared): string[] {
  const { photos } = readStep(step)
  return media.flatMap(({ id }) => photos[id] ?? [])
}

function liveOf(
  input: PublishInput,
  { id, permalink_url, created_time }: z.infer<typeof Posted>,
): Live {
  const at = Date.parse(created_time ?? '')
  return {
    platformPostId: id,
    url: linkTo(input, permalink_url, `/${id}`),
    publishedAt: new Date(Number.isNaN(at) ? Date.now() : at).toISOString(),
  }
}

const Target = z.object({ target: z.object({ id: z.string() }).nullish() })
const Listed = Posted.extend({
  created_time: z.string(),
  message: z.string().nullish(),
  attachments: z
    .object({
      data: z.array(
        Target.extend({ subattachments: z.object({ data: z.array(Target) }).nullish() }),
      ),
    })
    .nullish(),
})
type Listed = z.infer<typeof Listed>

/** Looks for the post among the Page's latest ones: by its pictures, which are in no other, else by its text. */
export async function lookUpInFeed(input: LookUpInput): Promise<LookUpOutcome> {
  const fields = {
    fields: 'id,message,created_time,permalink_url,attachments{target,subattachments{target}}',
    limit: String(LIST_LIMIT),
  }
  const path = `/${input.account}/feed`
  const result = await graphCall(input, 'GET', path, fields, LIST_TIMEOUT_MS)
  if (result.kind !== 'response')
    return { cannotTell: `Facebook did not answer (${reason(result.error)}).` }
  const list = result.status === 200 && readJson(z.object({ data: z.array(Listed) }), result.text)
  if (!list) return { cannotTell: `Facebook answered with status ${result.status}.` }
  const since = Date.parse(input.calledAt) + clockAhead(result.headers) - CLOCK_TOLERANCE_MS
  const recent = list.data.filter(({ created_time: at }) => Date.parse(at) >= since)
  return findIn(recent, list.data.length, input)
}

function findIn(recent: Listed[], listed: number, input: LookUpInput): LookUpOutcome {
  const photos = photosOf(input)
  const withOurs = recent.find((post) => photosIn(post).some((id) => photos.includes(id)))
  if (withOurs) return { found: liveOf(input, withOurs) }
  const alike = recent.filter(({ message }) => onlyLetters(message) === onlyLetters(input.text))
  const [match, ...others] = alike
  if (
    match &&
    others.length === 0 &&
    photos.length === 0 &&
    sameForm(match.message) === sameForm(input.text)
  )
    return { found: liveOf(input, match) }
  if (match) return { cannotTell: 'The Page has a post that is the same or almost the same.' }
  if (recent.length >= LIST_LIMIT && recent.length === listed)
    return { cannotTell: 'The Page has had many posts since.' }
  return { absent: true }
}

function photosIn({ attachments }: Listed): string[] {
  return (attachments?.data ?? []).flatMap(({ target, subattachments }) => [
    ...(target ? [target.id] : []),
    ...(subattachments?.data ?? []).flatMap((one) => one.target?.id ?? []),
  ])
}

function sameForm(text: string | null | undefined): string {
  return (text ?? '').normalize('NFC').replaceAll(/\s+/gu, ' ').trim()
}

function onlyLetters(text: string | null | undefined): string {
  return (text ?? '').normalize('NFKC').replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
