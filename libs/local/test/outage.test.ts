import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@herald/testing/eventually'
import { testPostgres } from '@herald/testing/postgres'
import { expect, test } from 'vitest'
import { prepareDatabases } from '../src/databases.ts'
import { testWorld, type World } from './world.ts'

async function expectLiveOnce(world: World, contents: string[]): Promise<void> {
  await eventually(
    async () => {
      const live = (await world.sandbox.live(world.mastodon)).map(({ text }) => text)
      expect(live.toSorted()).toEqual(contents.toSorted())
    },
    { timeoutMs: 45_000 },
  )
}

test('with NATS down a post is accepted, and it is published when NATS is back', async () => {
  await using world = await testWorld()
  const channelIds = [world.mastodon.id]
  await world.create({ content: 'before', channelIds })
  await expectLiveOnce(world, ['before'])
  await world.nats.kill()
  const accepted = await world.create({ content: 'while NATS is down', channelIds })
  expect(accepted.status).toBe('scheduled')
  expect((await world.herald.channels.list().page()).data).toHaveLength(2)
  expect((await world.get(accepted.id)).channels[0]?.status).not.toBe('published')
  await world.nats.start()
  await expectLiveOnce(world, ['before', 'while NATS is down'])
  await eventually(async () => expect((await world.get(accepted.id)).status).toBe('published'))
})

test('a NATS that comes back empty has every event again, and no post goes out twice', async () => {
  await using world = await testWorld()
  const channelIds = [world.mastodon.id]
  await world.create({ content: 'first', channelIds })
  await expectLiveOnce(world, ['first'])
  await world.nats.kill()
  await rm(world.nats.dataDir, { recursive: true, force: true })
  await world.create({ content: 'second', channelIds })
  await world.nats.start()
  await world.create({ content: 'third', channelIds })
  await expectLiveOnce(world, ['first', 'second', 'third'])
  const { mismatches } = await world.posts.checkProjections({})
  expect(mismatches).toEqual([])
})

test('a request that was on its way when NATS was killed exists once or not at all', async () => {
  await using world = await testWorld()
  const channelIds = [world.mastodon.id]
  const contents = Array.from({ length: 30 }, (_, index) => `in flight ${index}`)
  const answers = contents.map((content) => world.call('POST', '/posts', { content, channelIds }))
  await world.nats.kill()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  for (const status of statuses) expect([201, 503]).toContain(status)
  await world.nats.start()
  // The same request again tells: it is a duplicate, or it is accepted now.
  await eventually(async () => {
    for (const content of contents)
      expect([201, 409]).toContain(
        (await world.call('POST', '/posts', { content, channelIds })).status,
      )
  })
  await expectLiveOnce(world, contents)
})

test('when Postgres is restarted under load, services recover by themselves and nothing is lost or doubled', async () => {
  await using first = await testPostgres()
  const databaseUrls = await prepareDatabases(first.url, 'secret')
  await using world = await testWorld({ databaseUrls })
  const channelIds = [world.mastodon.id]
  const accepted: string[] = []
  let isLoading = true
  const load = (async () => {
    for (let index = 0; isLoading; index++) {
      const content = `under load ${index}`
      const { status } = await world.call('POST', '/posts', { content, channelIds })
      if (status === 201) accepted.push(content)
      else expect([500, 503]).toContain(status)
    }
  })()
  await eventually(() => expect(accepted.length).toBeGreaterThan(10))
  await first.restart('SIGQUIT')
  const before = accepted.length
  await eventually(() => expect(accepted.length).toBeGreaterThan(before + 10), {
    timeoutMs: 30_000,
  })
  isLoading = false
  await load
  await eventually(
    async () => {
      const live = (await world.sandbox.live(world.mastodon)).map(({ text }) => text)
      expect(live.length).toBe(new Set(live).size)
      for (const content of accepted) expect(live).toContain(content)
    },
    { timeoutMs: 45_000 },
  )
})

test('a post that is edited or deleted while it comes due has one winner, and the platform shows it', async () => {
  await using world = await testWorld()
  const channelIds = [world.mastodon.id]
  const runs = 100
  const publishAt = new Date(Date.now() + 4_000).toISOString()
  const posts = await Promise.all(
    Array.from({ length: runs * 2 }, (_, index) =>
      world.create({ content: `original ${index}`, channelIds, publishAt }),
    ),
  )
  await sleep(Date.parse(publishAt) - Date.now() - 60)
  const answers = await Promise.all(
    posts.map(async ({ id }, index) => {
      const isEdit = index < runs
      const { status } = isEdit
        ? await world.call('PATCH', `/posts/${id}`, { content: `edited ${index}` })
        : await world.call('DELETE', `/posts/${id}`)
      expect([200, 409]).toContain(status)
      if (isEdit) return status === 200 ? `edited ${index}` : `original ${index}`
      // A post that had ended already is only taken from the service; a cancelled one never goes live.
      const { data } = await world.posts.history({ postId: id })
      return data.some(({ type }) => type === 'PostCancelled') ? undefined : `original ${index}`
    }),
  )
  await expectLiveOnce(
    world,
    answers.filter((text) => text !== undefined),
  )
})
