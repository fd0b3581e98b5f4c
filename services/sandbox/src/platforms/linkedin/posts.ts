import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { failureIn } from '../../fail-on-command.ts'
import { authenticateVersioned, deny, requireScope } from './authenticate.ts'
import { readJsonBody } from './json-body.ts'
import { refuse, refuseField } from './refusals.ts'
import { mayActAs, ORGANIZATION, type Site } from './site.ts'
import type { Asset, Post } from './state.ts'
import { statusOf } from './uploads.ts'
import { visibleText } from './visible-text.ts'

const MAX_TEXT = 3000
/** LinkedIn does not say how long it looks back for a repeat. */
const REPEAT_MS = 24 * 3_600_000

const Media = z.strictObject({
  id: z.string(),
  title: z.string().min(1).max(400).optional(),
  altText: z.string().max(4086).optional(),
})
const Body = z.strictObject({
  author: z.string(),
  commentary: z.string(),
  visibility: z.enum(['PUBLIC', 'CONNECTIONS', 'LOGGED_IN', 'CONTAINER']),
  distribution: z.strictObject({
    feedDistribution: z.enum(['MAIN_FEED', 'NONE']),
    targetEntities: z.array(z.unknown()).default([]),
    thirdPartyDistributionChannels: z.array(z.unknown()).default([]),
  }),
  content: z
    .union([
      z.strictObject({ media: Media }),
      z.strictObject({ multiImage: z.strictObject({ images: z.array(Media).min(2).max(20) }) }),
    ])
    .optional(),
  lifecycleState: z.literal('PUBLISHED'),
  isReshareDisabledByAuthor: z.boolean().default(false),
})
type Body = z.infer<typeof Body>

/** `POST /rest/posts`: no body in the answer, and the id in a header. */
export function createPost(site: Site, call: Call): Answer {
  const caller = authenticateVersioned(site, call)
  const body = readBody(call)
  const { author, commentary, visibility } = body
  const isPage = author.startsWith(ORGANIZATION)
  requireScope(caller, [isPage ? 'w_organization_social' : 'w_member_social'], 'posts.CREATE')
  if (!mayActAs(site, caller.member.id, author)) deny(`posts.CREATE as ${author}`)
  if (isPage && visibility !== 'PUBLIC')
    refuseField('INVALID_VALUE_FOR_FIELD', 'visibility', 'of an organization is PUBLIC')
  const text = visibleText(commentary)
  if (text.length > MAX_TEXT)
    refuseField('FIELD_LENGTH_TOO_LONG', 'commentary', `has more than ${MAX_TEXT} characters`)
  const failure = failureIn(text)
  if (failure !== null) refuse(422, 'UNPROCESSABLE_ENTITY', `The post is refused: ${failure}`)
  const files = checkFiles(site, body)
  if (text.trim() === '' && files.length === 0)
    refuseField('MISSING_FIELD', 'commentary', 'is empty, and there is no content')
  const media = files.map(({ urn }, index) => ({
    urn,
    altText: mediaOf(body)[index]?.altText ?? null,
  }))
  const draft = {
    author,
    commentary,
    text,
    visibility,
    media,
    title: mediaOf(body)[0]?.title ?? null,
  }
  refuseRepeat(site, draft)
  const kind = files[0]?.kind === 'video' ? 'ugcPost' : 'share'
  const urn = `urn:li:${kind}:${site.newId()}`
  site.record({ type: 'post-made', post: { ...draft, urn, createdAt: site.now() } })
  return {
    status: 201,
    headers: { 'x-restli-id': urn, 'x-linkedin-id': urn },
    body: '',
    applied: urn,
  }
}

/** The author of a call's post, so that faults can be armed for one account. */
export function authorOf({ body }: Call): string | undefined {
  try {
    return z.object({ author: z.string() }).safeParse(JSON.parse(body.toString())).data?.author
  } catch {
    return undefined
  }
}

/** `GET /rest/posts?q=author`: the posts of a page, newest first. Those of members are closed to apps. */
export function listPosts(site: Site, call: Call): Answer {
  const caller = authenticateVersioned(site, call)
  const { query } = call
  const author = query.get('author') ?? ''
  if (query.get('q') !== 'author') refuse(400, 'ILLEGAL_ARGUMENT', 'There is no such finder')
  if (!author.startsWith(ORGANIZATION) || !mayActAs(site, caller.member.id, author))
    deny('posts.FINDER-author')
  requireScope(caller, ['r_organization_social'], 'posts.FINDER-author')
  const count = Math.min(Number(query.get('count') ?? 10) || 10, 100)
  const start = Number(query.get('start') ?? 0) || 0
  const elements = [...site.state.posts.values()]
    .filter((post) => post.author === author)
    .toReversed()
    .slice(start, start + count)
    .map((post) => postView(post))
  return jsonAnswer(200, { paging: { start, count, links: [] }, elements })
}

function postView({ urn, author, commentary, visibility, media, title, createdAt }: Post) {
  const files = media.map((one) => ({
    id: one.urn,
    ...(one.altText !== null && { altText: one.altText }),
    ...(title !== null && { title }),
  }))
  const content = files.length === 1 ? { media: files[0] } : { multiImage: { images: files } }
  return {
    id: urn,
    author,
    commentary,
    visibility,
    distribution: {
      feedDistribution: 'MAIN_FEED',
      targetEntities: [],
      thirdPartyDistributionChannels: [],
    },
    ...(files.length > 0 && { content }),
    lifecycleState: 'PUBLISHED',
    isReshareDisabledByAuthor: false,
    createdAt,
    lastModifiedAt: createdAt,
    publishedAt: createdAt,
  }
}

function readBody(call: Call): Body {
  const parsed = Body.safeParse(readJsonBody(call))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path.join('.')
  return refuseField('INVALID_VALUE_FOR_FIELD', path ?? '', issue?.message ?? 'is not valid')
}

function mediaOf({ content }: Body): z.infer<typeof Media>[] {
  if (!content) return []
  return 'media' in content ? [content.media] : content.multiImage.images
}

function checkFiles(site: Site, body: Body): Asset[] {
  const isMulti = body.content !== undefined && 'multiImage' in body.content
  return mediaOf(body).map(({ id, title }) => {
    const asset = site.state.assets.get(id)
    if (!asset || asset.owner !== body.author)
      return refuse(400, 'BAD_REQUEST', `${id} is not found or not owned by the author`)
    if (isMulti && asset.kind !== 'image')
      refuseField('INVALID_VALUE_FOR_FIELD', 'content.multiImage', 'has images only')
    if (asset.kind === 'document' && title === undefined)
      refuseField('MISSING_FIELD', 'content.media.title', 'is missing')
    if (statusOf(site, asset) !== 'AVAILABLE')
      refuse(400, 'BAD_REQUEST', `${id} is not ready: ${statusOf(site, asset)}`)
    return asset
  })
}

/** The same text with the same files again is a repeat, and LinkedIn names the first. */
function refuseRepeat(site: Site, draft: Pick<Post, 'author' | 'text' | 'media'>): void {
  const key = ({ author, text, media }: typeof draft) =>
    JSON.stringify([author, text.trim(), media.map(({ urn }) => urn)])
  const repeated = [...site.state.posts.values()].find(
    (post) => post.createdAt > site.now() - REPEAT_MS && key(post) === key(draft),
  )
  if (!repeated) return
  const inputErrors = [
    { code: 'DUPLICATE_POST', description: 'Duplicate post is detected', input: {} },
  ]
  refuse(422, 'UNPROCESSABLE_ENTITY', `Content is a duplicate of ${repeated.urn}`, {
    errorDetailType: 'com.linkedin.common.error.BadRequest',
    errorDetails: { inputErrors },
  })
}
