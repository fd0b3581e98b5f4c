import { randomBytes } from 'node:crypto'
import type { Media } from '@herald/contracts/media'
import type { Post } from '@herald/contracts/posts'
import { expect } from 'vitest'
import { askApi } from './hostile-world.ts'
import { uploadPicture } from './small-picture.ts'
import type { World } from './world.ts'

/** Another organization, in whose every text stands a word that nobody else may ever read. */
export type Neighbour = {
  canary: string
  key: string
  organizationId: string
  channelId: string
  post: Post
  media: Media
  cursors: { posts: string; media: string }
  /** Every id of it. */
  ids: string[]
}

const READ_AND_WRITE: ('read' | 'publish')[] = ['read', 'publish']

/** Makes the other organization, with a channel, posts and files. */
export async function neighbourOf(world: World): Promise<Neighbour> {
  const canary = `canary${randomBytes(8).toString('hex')}`
  const { id: organizationId } = await world.accounts.createOrganization({
    name: `Bakery ${canary}`,
    plan: 'ENTERPRISE',
  })
  const { secret: key, id: keyId } = await world.accounts.createKey({
    organizationId,
    name: `Key ${canary}`,
    scopes: READ_AND_WRITE,
  })
  const { baseUrl, credentials } = await world.sandbox.createAccount('MASTODON')
  const { id: channelId } = await world.channels.connect({
    organizationId,
    platform: 'MASTODON',
    baseUrl,
    credentials,
    name: `Channel ${canary}`,
  })
  const pictures = { key, fileName: `${canary}.png`, altText: `Alt ${canary}` }
  await uploadPicture(world, pictures)
  const media = await uploadPicture(world, pictures)
  const create = async (content: string) => {
    const publishAt = new Date(Date.now() + 30 * 24 * 3_600_000).toISOString()
    const platformContent = { MASTODON: `Own ${content}` }
    const body = {
      content,
      platformContent,
      channelIds: [channelId],
      mediaIds: [media.id],
      publishAt,
    }
    const { status, text } = await askApi(world, 'POST', '/posts', { key, body })
    expect(status).toBe(201)
    return JSON.parse(text) as Post
  }
  await create(`First ${canary}`)
  const post = await create(`Second ${canary}`)
  const cursorOf = async (list: string) => {
    const { text } = await askApi(world, 'GET', `/${list}?limit=1`, { key })
    expect(text).toContain(canary)
    return (JSON.parse(text) as { nextCursor: string }).nextCursor
  }
  return {
    canary,
    key,
    organizationId,
    channelId,
    post,
    media,
    cursors: { posts: await cursorOf('posts'), media: await cursorOf('media') },
    ids: [post.id, media.id, channelId, organizationId, keyId],
  }
}
