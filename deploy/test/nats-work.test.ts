import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONSUMERS } from '@herald/contracts/consumers'
import { EVENTS_STREAM } from '@herald/contracts/events'
import { eventually } from '@herald/testing/eventually'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect, test as base } from 'vitest'
import { openDeadLetters } from '@herald/service/dead-letter-box'
import { readNatsUrl } from '@herald/service/nats-address'
import { uploadPicture } from '../../libs/local/test/small-picture.ts'
import { testWorld, type World } from '../../libs/local/test/world.ts'
import { PRODUCTION } from './nats-users.ts'

const PATIENTLY = { timeoutMs: 60_000 }

/** Every program as its own user, and no road but NATS. */
const test = base.extend<{ world: World }>({
  world: [
    async ({}, use) => {
      await using world = await testWorld({ natsUsers: PRODUCTION, env: { RPC_DIRECT: '' } })
      await use(world)
    },
    { scope: 'file' },
  ],
})

test('a post with a picture goes live on every channel with each service as its own user', async ({
  world,
}) => {
  const { id: mediaId } = await uploadPicture(world)
  const channelIds = [world.mastodon.id, world.bluesky.id]
  const { id } = await world.create({ content: 'Live', channelIds, mediaIds: [mediaId] })
  await eventually(
    async () => expect(await world.get(id)).toMatchObject({ status: 'published' }),
    PATIENTLY,
  )
  await eventually(
    async () => expect((await world.herald.media.get(mediaId)).description).not.toBeNull(),
    PATIENTLY,
  )
}, 180_000)

test('a post is edited, cancelled and forgotten, and a file is deleted', async ({ world }) => {
  const { id: mediaId } = await uploadPicture(world)
  const publishAt = new Date(Date.now() + 3_600_000).toISOString()
  const channelIds = [world.mastodon.id]
  const { id } = await world.create({ content: 'Never', channelIds, publishAt })
  await world.herald.posts.edit(id, { content: 'Not at all' })
  await world.herald.posts.remove(id)
  await world.herald.media.remove(mediaId)
  const left: string[] = []
  for await (const post of world.herald.posts.list()) left.push(post.id)
  expect(left).not.toContain(id)
}, 60_000)

test('the operator sees and ends what there is, and a revoked key is forgotten at once', async ({
  world,
}) => {
  const { organizationId } = world
  const key = { organizationId, name: 'Short', scopes: ['read' as const] }
  const { id, secret } = await world.accounts.createKey(key)
  const asked = () =>
    fetch(`${world.apiUrl}/v1/me`, { headers: { authorization: `Bearer ${secret}` } })
  expect((await asked()).status).toBe(200)
  await world.accounts.revokeKey({ keyId: id })
  await eventually(async () => expect((await asked()).status).toBe(401), PATIENTLY)
  await world.channels.disconnect({ organizationId, channelId: world.bluesky.id })
  expect(await world.posts.checkProjections({})).toMatchObject({ mismatches: [] })
}, 120_000)

test('a message that is no event is given up by its consumer, and the operator reads and replays it', async ({
  world,
}) => {
  const posts = await connect(readNatsUrl(PRODUCTION.urlFor(world.nats.url, 'posts')))
  posts.publish('herald.events.v1.post.org_1.cancelled', 'no event')
  await posts.drain()
  const operator = await connect({
    ...readNatsUrl(PRODUCTION.urlFor(world.nats.url, 'herald')),
    inboxPrefix: '_INBOX_herald',
  })
  const box = await openDeadLetters(operator)
  await eventually(async () => {
    const { value: letter } = await box.after(0, 'quota-cancelled').next()
    expect(letter).toMatchObject({ body: 'no event' })
    if (!letter) return
    expect(await box.replay(letter)).toEqual({
      outcome: 'failed',
      reason: 'It is not a CloudEvent.',
    })
  }, PATIENTLY)
  await operator.close()
}, 120_000)

test('every consumer has done its work, and nothing was asked for that is not allowed', async ({
  world,
}) => {
  const connection = await asAdmin(world)
  const { consumers } = await jetstreamManager(connection)
  for (const { durable } of Object.values(CONSUMERS))
    await eventually(async () => {
      const { delivered, num_pending, num_ack_pending } = await consumers.info(
        EVENTS_STREAM,
        durable,
      )
      expect({ durable, num_pending, num_ack_pending }).toEqual({
        durable,
        num_pending: 0,
        num_ack_pending: 0,
      })
      expect(delivered.consumer_seq).toBeGreaterThan(0)
    }, PATIENTLY)
  // One that is made on purpose shows that the log would tell.
  const posts = await connect(readNatsUrl(PRODUCTION.urlFor(world.nats.url, 'posts')))
  posts.publish('on.purpose')
  await posts.drain()
  await eventually(() => expect(violations(world)).toEqual([expect.stringContaining('on.purpose')]))
  await connection.close()
}, 120_000)

/** What the server refused, by its log. */
function violations({ nats }: World): string[] {
  const log = readFileSync(join(nats.dataDir, 'server.log'), 'utf8')
  return log.split('\n').filter((line) => line.includes('Violation'))
}

async function asAdmin({ nats }: World) {
  return connect(readNatsUrl(PRODUCTION.urlFor(nats.url, 'admin')))
}
