import type { ChannelForPosting } from '@herald/contracts/channels'
import { expect, test } from 'vitest'
import { rememberFacts } from './channel-facts.ts'

const ACTIVE: ChannelForPosting = {
  id: 'chan_1',
  platform: 'MASTODON',
  platformName: 'Mastodon',
  name: 'One',
  username: 'one',
  limits: {},
  avatarUrl: null,
  status: 'active',
  rules: {
    requiresMedia: false,
    requiresVideo: false,
    maxImages: 4,
    maxChars: 500,
    requiredFields: [],
  },
}

function facts(data: ChannelForPosting[]) {
  const clock = { now: 0 }
  const calls = { count: 0 }
  const remembered = rememberFacts(
    {
      getForPosting: async () => {
        calls.count += 1
        return { data }
      },
    },
    () => clock.now,
  )
  const ask = (organizationId = 'org_1', channelIds = ['chan_1']) =>
    remembered.getForPosting({ organizationId, channelIds })
  return { ask, calls, clock, remembered }
}

test('an active channel is asked about once in a second', async () => {
  const { ask, calls, clock } = facts([ACTIVE])
  expect(await ask()).toEqual({ data: [ACTIVE] })
  clock.now = 999
  expect(await ask()).toEqual({ data: [ACTIVE] })
  expect(calls.count).toBe(1)
  clock.now = 1_000
  await ask()
  expect(calls.count).toBe(2)
})

test('what is known for one organization is not told to another', async () => {
  const { ask, calls } = facts([ACTIVE])
  await ask('org_1')
  await ask('org_2')
  expect(calls.count).toBe(2)
})

test.each([
  ['a channel that must be connected again', [{ ...ACTIVE, status: 'reauth_required' as const }]],
  ['a channel that is not there', []],
])('%s is asked about each time', async (_, data) => {
  const { ask, calls } = facts(data)
  await ask()
  await ask()
  expect(calls.count).toBe(2)
})

test('a channel that something happened to, or may have, is asked about again', async () => {
  const { ask, calls, remembered } = facts([ACTIVE])
  await ask()
  remembered.forget('chan_1')
  await ask()
  remembered.forgetAll()
  await ask()
  expect(calls.count).toBe(3)
})

test('one channel that is not remembered makes all of a post be asked about', async () => {
  const { ask, calls } = facts([ACTIVE])
  await ask()
  await ask('org_1', ['chan_1', 'chan_2'])
  expect(calls.count).toBe(2)
})
