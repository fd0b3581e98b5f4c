import { HeraldError } from '@herald/client/errors'
import type { NewPost, Post } from '@herald/client/resources'
import type { Platform } from '@herald/contracts/platforms'
import { eventually } from '@herald/testing/eventually'
import { easiest, FAILS_IN_PROCESSING, goodPost, type Library } from './matrix-posts.ts'
import type { TestChannel, World } from './world.ts'

const PARTS = ['text', 'image', 'images', 'video', 'document'] as const
const FAULTS = [
  'drop_before',
  'drop_after',
  'hang_after',
  'error_before',
  'error_after',
  'malformed',
  'slow',
] as const

/** What is tried on every platform. */
export const ROWS = [
  ...PARTS,
  'image and video',
  'image and document',
  'too long',
  'missing field',
  'expired token',
  'revoked grant',
  'rate limit',
  'processing failure',
  ...FAULTS,
] as const
export type Row = (typeof ROWS)[number]

export type Scene = { world: World; library: Library }

/**
 * Tries one row on a platform, with an account of its own, and says in a few words what came of it: `live`, or what was
 * refused or failed. `live` counts the posts that the sandbox shows, so a post that is there twice is `live 2 times`.
 */
export async function tryCell(scene: Scene, platform: Platform, row: Row): Promise<string> {
  const chosen = postOf(scene.library, platform, row)
  if (!chosen) return '-'
  const channel = await connectOwn(scene.world, platform)
  const post = await withChoices(scene.world, channel, chosen)
  await arm(scene.world, channel, row)
  const refusal = await create(scene.world, { ...post, channelIds: [channel.id] })
  if (typeof refusal === 'string') return refusal
  return endingOf(scene.world, channel, refusal.id)
}

/** In a few words, how a post of one channel ended and what the sandbox shows of it. */
export async function endingOf(world: World, channel: TestChannel, id: string): Promise<string> {
  const ended = await untilEnded(world, id)
  const { length: live } = await world.sandbox.live(channel)
  const [told] = ended.channels
  if (told?.status === 'published') return live === 1 ? 'live' : `published, live ${live} times`
  return `${told?.errorCode}${live === 0 ? '' : live === 1 ? ' (is live)' : `, live ${live} times`}`
}

function postOf(
  library: Library,
  platform: Platform,
  row: Row,
): Omit<NewPost, 'channelIds'> | undefined {
  const content = `${row} on ${platform}`
  const good = goodPost(platform, easiest(platform), library, content)
  const [image] = library.images
  const ids = (...files: ({ id: string } | undefined)[]) => files.flatMap((file) => file?.id ?? [])
  switch (row) {
    case 'text':
    case 'image':
    case 'images':
    case 'video':
    case 'document':
      return goodPost(platform, row, library, content)
    case 'image and video':
      return { ...good, mediaIds: ids(image, library.video) }
    case 'image and document':
      return { ...good, mediaIds: ids(image, library.document) }
    case 'too long':
      return { ...good, content: 'x'.repeat(70_000) }
    case 'missing field': {
      const { content: text, mediaIds, ...options } = good
      return Object.keys(options).length === 0 ? undefined : { content: text, mediaIds }
    }
    case 'processing failure': {
      const failing = FAILS_IN_PROCESSING[platform]
      return failing && goodPost(platform, failing.part, library, failing.content)
    }
    case 'expired token':
    case 'revoked grant':
    case 'rate limit':
    case 'drop_before':
    case 'drop_after':
    case 'hang_after':
    case 'error_before':
    case 'error_after':
    case 'malformed':
    case 'slow':
      return good
  }
}

/** A board is one of the account's own. */
export async function withChoices<Post extends Pick<NewPost, 'pinterest'>>(
  { herald }: World,
  { id }: TestChannel,
  post: Post,
): Promise<Post> {
  if (!post.pinterest) return post
  const { data } = await herald.channels.options(id)
  const boards = data.find(({ field }) => field === 'pinterest.boardId')
  return { ...post, pinterest: { ...post.pinterest, boardId: boards?.choices[0]?.value } }
}

/** A channel on an account of its own, so that what is armed and what is live concerns one cell alone. */
export async function connectOwn(world: World, platform: Platform): Promise<TestChannel> {
  const { account, baseUrl, credentials } = await world.sandbox.createAccount(platform)
  const { organizationId } = world
  const { id } = await world.channels.connect({ organizationId, platform, baseUrl, credentials })
  return { id, account, platform }
}

async function arm(world: World, { platform, account }: TestChannel, row: Row): Promise<void> {
  const place = { platform, account }
  if (row === 'revoked grant') await world.sandbox.revoke(place)
  if (row === 'expired token')
    await world.sandbox.fault({ ...place, kind: 'auth_expired', times: 1, on: 'any' })
  if (row === 'rate limit') await world.sandbox.fault({ ...place, kind: 'rate_limit', times: 1 })
  const fault = FAULTS.find((kind) => kind === row)
  if (fault) await world.sandbox.fault({ ...place, kind: fault, times: 1 })
}

/** The post, or the rules by which it was refused. */
async function create({ herald }: World, post: NewPost): Promise<Post | string> {
  try {
    return await herald.posts.create(post)
  } catch (error) {
    if (!(error instanceof HeraldError)) throw error
    const violations = error.details['violations'] as { rule: string }[] | undefined
    return `${error.status} ${violations?.map(({ rule }) => rule).join(' ') ?? error.code}`
  }
}

function untilEnded({ herald }: World, id: string): Promise<Post> {
  return eventually(
    async () => {
      const post = await herald.posts.get(id)
      if (post.status !== 'published' && post.status !== 'failed')
        throw new Error(`${id} is ${post.status}: ${JSON.stringify(post.channels)}`)
      return post
    },
    { timeoutMs: 90_000, intervalMs: 500 },
  )
}
