import { type Route, type RouteName, ROUTES } from '@herald/contracts/http'
import { newId } from '@herald/contracts/ids'
import type { Post } from '@herald/contracts/posts'
import { eventually } from '@herald/testing/eventually'
import { describe, expect, test as base } from 'vitest'
import {
  type Answer,
  expectRefusal,
  type HostileWorld,
  inAYear,
  withHostileWorld,
} from './hostile-world.ts'
import { type Neighbour, neighbourOf } from './neighbour.ts'
import { publishedEvents } from './published-events.ts'
import { uploadPicture } from './small-picture.ts'
import { type Kind, KINDS, type Row, TENANCY_ROWS, type Thing } from './tenancy-rows.ts'

type Tenants = { world: HostileWorld; neighbour: Neighbour; limited: string; seesAll: string }

const test = base.extend<{ tenants: Tenants }>({
  tenants: [
    async ({}, use) =>
      withHostileWorld(async (world) => {
        const neighbour = await neighbourOf(world)
        const limited = await keyFor(world, [world.bluesky.id])
        await use({ world, neighbour, limited, seesAll: world.apiKey })
      }),
    { scope: 'file' },
  ],
})

async function keyFor({ accounts, organizationId }: HostileWorld, channels: 'all' | string[]) {
  const scopes: ('read' | 'publish')[] = ['read', 'publish']
  return (await accounts.createKey({ organizationId, name: 'Limited', scopes, channels })).secret
}

/** An id of a kind for a thing; posts and files are made anew, because some endpoints delete them. */
const IDS: Record<Thing, (tenants: Tenants) => Record<Kind, () => Promise<string>>> = {
  post: ({ world, neighbour }) => ({
    own: async () => (await world.plan({ channelIds: [world.bluesky.id] })).id,
    unknown: async () => newId('post'),
    foreign: async () => neighbour.post.id,
    hidden: async () => (await world.plan({ channelIds: [world.mastodon.id] })).id,
    deleted: async () => {
      const { id } = await world.plan({ channelIds: [world.bluesky.id] })
      expect((await world.ask('DELETE', `/posts/${id}`)).status).toBe(200)
      return id
    },
  }),
  media: ({ world, neighbour }) => ({
    own: async () => (await uploadPicture(world)).id,
    unknown: async () => newId('media'),
    foreign: async () => neighbour.media.id,
    hidden: async () => newId('media'),
    deleted: async () => {
      const { id } = await uploadPicture(world)
      expect((await world.ask('DELETE', `/media/${id}`)).status).toBe(200)
      return id
    },
  }),
  channel: ({ world, neighbour }) => ({
    own: async () => world.bluesky.id,
    unknown: async () => newId('channel'),
    foreign: async () => neighbour.channelId,
    hidden: async () => world.mastodon.id,
    deleted: async () => {
      const { organizationId } = world
      const { baseUrl, credentials } = await world.sandbox.createAccount('MASTODON')
      const account = { organizationId, platform: 'MASTODON' as const, baseUrl, credentials }
      const { id } = await world.channels.connect(account)
      await world.channels.disconnect({ organizationId, channelId: id })
      return id
    },
  }),
  'cursor of posts': (tenants) => cursors(tenants, 'posts'),
  'cursor of media': (tenants) => cursors(tenants, 'media'),
}

function cursors({ world, neighbour, limited }: Tenants, list: 'posts' | 'media') {
  const none = async () => 'nonsense'
  return {
    own: async () => {
      for (let times = 0; times < 2; times++)
        if (list === 'posts') await world.plan({ channelIds: [world.bluesky.id] })
        else await uploadPicture(world)
      const { text } = await world.ask('GET', `/${list}?limit=1`, { key: limited })
      return (JSON.parse(text) as { nextCursor: string }).nextCursor
    },
    unknown: none,
    foreign: async () => neighbour.cursors[list],
    hidden: none,
    deleted: none,
  }
}

let count = 0

/** Asks an endpoint as the limited key, with an id at a place of a request that is good otherwise. */
async function askWith({ world, limited }: Tenants, route: Route, row: Row, id: string) {
  const path = row.place === 'path' ? route.path.replace(`:${row.name}`, id) : route.path
  const query = row.place === 'query' || row.place === 'cursor' ? `?limit=1&${row.name}=${id}` : ''
  const body = row.body && {
    ...row.body,
    content: `${String(row.body.content)} ${count++}`,
    ...(route.method === 'POST' && { publishAt: inAYear(), channelIds: [world.bluesky.id] }),
    ...(row.place === 'body' && { [row.name]: [id] }),
  }
  return world.ask(route.method, `${path}${query}`, { key: limited, ...(body && { body }) })
}

const CASES = Object.entries<readonly Row[]>(TENANCY_ROWS).flatMap(([name, rows]) =>
  rows.flatMap((row) =>
    KINDS.filter((kind) => row.except?.[kind] !== 'does not apply').map((kind) => ({
      name: name as RouteName,
      row,
      kind,
      place: row.place,
      thing: row.thing,
    })),
  ),
)

describe('every endpoint, every place of an id, every kind of id', () => {
  test.for(CASES)('$name: $kind $thing in the $place', async ({ name, row, kind }, { tenants }) => {
    const { world, neighbour } = tenants
    const route: Route = ROUTES[name]
    const ids = IDS[row.thing](tenants)
    const before = await whatOthersHave(tenants)
    const answer = await askWith(tenants, route, row, await ids[kind]())
    expect(answer.text).not.toContain(neighbour.canary)
    if (kind === 'own') return expect(answer.status).toBe(row.own)
    expect(answer.status).toBe(row.others === 'an empty page' ? 200 : row.others)
    if (row.others === 'an empty page')
      expect(JSON.parse(answer.text)).toEqual({ data: [], nextCursor: null })
    // To the byte what an id gets that nobody has, and no event of anybody.
    const unknown = await askWith(tenants, route, row, await ids.unknown())
    expect(comparable(answer)).toEqual(comparable(unknown))
    expect(await world.events.causedBy([answer.requestId])).toEqual([])
    return expect(await whatOthersHave(tenants)).toEqual(before)
  })
})

/** Without what differs between any two answers: the id of the request, the time, what is left of a limit. */
function comparable({ status, text, headers }: Answer) {
  const changing = /^(x-request-id|date|ratelimit.*|x-ratelimit.*)$/
  return { status, text, headers: [...headers].filter(([name]) => !changing.test(name)) }
}

/** What the neighbour and the other key of the same organization see; no request of the limited key changes it. */
async function whatOthersHave({ world, neighbour }: Tenants) {
  const { key, post, media } = neighbour
  const [itsPost, itsFile] = await Promise.all([
    world.ask('GET', `/posts/${post.id}`, { key }),
    world.ask('GET', `/media/${media.id}`, { key }),
  ])
  return { post: [itsPost.status, itsPost.text], media: [itsFile.status, itsFile.text] }
}

test('what one organization keeps is in no answer to another, whatever it asks', async ({
  tenants,
}) => {
  const { world, neighbour, limited, seesAll } = tenants
  const { canary, ids } = neighbour
  const paths = [
    '/me',
    '/channels',
    '/posts?limit=100',
    '/media?limit=100',
    `/media?q=${canary}`,
    ...ids.flatMap((id) => [`/posts?channelId=${id}`, `/posts/${id}`, `/media/${id}`]),
  ]
  for (const key of [seesAll, limited])
    for (const path of paths) {
      const { text, headers } = await world.ask('GET', path, { key })
      expect(text + JSON.stringify([...headers])).not.toContain(canary)
    }
  const own = await world.ask('GET', '/posts?limit=100', { key: neighbour.key })
  expect(own.text).toContain(canary)
})

test('public events carry no text of a post, a file or a channel', async ({ tenants }) => {
  const { neighbour, world } = tenants
  const ofNeighbour = await eventually(async () => {
    const published = await publishedEvents(world)
    const found = published.filter((event) => event.includes(neighbour.organizationId))
    // Of its key, its channel, two posts and two files.
    expect(found.length).toBeGreaterThanOrEqual(6)
    return found
  })
  expect(ofNeighbour.filter((event) => event.includes(neighbour.canary))).toEqual([])
})

describe('a key that is limited to channels', () => {
  test('sees only those, in lists and in posts that are on others too', async ({ tenants }) => {
    const { world, limited } = tenants
    const secret = `secret ${newId('post')}`
    const both = await world.plan({
      channelIds: [world.mastodon.id, world.bluesky.id],
      platformContent: { MASTODON: secret },
    })
    const hidden = await world.plan({ content: secret })
    const channels = await world.ask('GET', '/channels', { key: limited })
    expect(JSON.parse(channels.text)).toMatchObject({ data: [{ id: world.bluesky.id }] })
    const list = await world.ask('GET', '/posts?limit=100', { key: limited })
    const one = await world.ask('GET', `/posts/${both.id}`, { key: limited })
    for (const { text } of [channels, list, one]) {
      expect(text).not.toContain(world.mastodon.id)
      expect(text).not.toContain(secret)
    }
    const { data } = JSON.parse(list.text) as { data: Post[] }
    expect(data.map(({ id }) => id)).toContain(both.id)
    expect(data.map(({ id }) => id)).not.toContain(hidden.id)
  })

  test('changes no post that is on others too', async ({ tenants }) => {
    const { world, limited: key } = tenants
    const both = await world.plan({ channelIds: [world.mastodon.id, world.bluesky.id] })
    const path = `/posts/${both.id}`
    const body = { content: 'Changed' }
    await expectRefusal(world, 403, 'forbidden_scope', 'PATCH', path, { key, body })
    await expectRefusal(world, 403, 'forbidden_scope', 'DELETE', path, { key })
    expect(await world.get(both.id)).toEqual(both)
  })
})
