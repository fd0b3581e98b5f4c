import { eventually } from '@herald/testing/eventually'
import { expect, test } from 'vitest'
import { testWorld } from '../../libs/local/test/world.ts'
import { PRODUCTION } from './nats-users.ts'

test('a post goes live with each service as its own user of NATS', async () => {
  await using world = await testWorld({ natsUsers: PRODUCTION })
  const post = await world.create({ content: 'Hello', channelIds: [world.mastodon.id] })
  await eventually(async () => expect((await world.get(post.id)).status).toBe('published'), {
    timeoutMs: 60_000,
  })
}, 180_000)
