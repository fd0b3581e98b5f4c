import { AppError, unavailable } from '@herald/contracts/errors'
import { describe, expect, test } from 'vitest'
import type { QuotaClient } from '../src/batched-admissions.ts'
import { quotaOutageCounts } from '../src/quota-outage.ts'
import { admitAll, expectRefusal, testGateway } from './harness.ts'
import { makeKey } from './keys.ts'

const BODY = { content: 'a', channelIds: ['chan_01kb5x4a7ne8btgq1vq4p0d2c9'] }

/** A gateway on a clock that stands, whose quota service fails until it is mended. */
async function failingGateway(error: unknown = unavailable()) {
  const clock = { ms: 1_000 }
  const state = { isAway: true, asked: 0 }
  const admit: QuotaClient['admit'] = async (input) => {
    state.asked += 1
    if (state.isAway) throw error
    return admitAll(input)
  }
  const gateway = await testGateway({ quota: { admit }, elapsed: () => clock.ms })
  const get = (path = '/v1/channels') => gateway.request('GET', path)
  const post = () => gateway.request('POST', '/v1/posts', { body: BODY })
  const warnings = () =>
    gateway.log.filter(({ msg }) => String(msg).startsWith('The quota service is'))
  return { ...gateway, gateway, clock, state, get, post, warnings }
}

describe('while the quota service is away', () => {
  test('reads go on without limit headers for 60 s, and are 503 after that', async () => {
    await using world = await failingGateway()
    const response = await world.get()
    expect(response.status).toBe(200)
    expect(response.headers.get('ratelimit')).toBeNull()
    world.clock.ms += 59_999
    expect((await world.get()).status).toBe(200)
    world.clock.ms += 1
    const refused = await world.get()
    await expectRefusal(refused, 503, 'internal_error')
    expect(refused.headers.get('retry-after')).toBe('1')
  })

  test.each([
    ['it does not answer', unavailable()],
    ['it has a bug', new AppError('internal_error', 'Something went wrong.')],
    ['the call breaks', new TypeError('x is not a function')],
  ])('because %s, writes are 503 with Retry-After at once', async (_why, error) => {
    await using world = await failingGateway(error)
    for (let times = 0; times < 2; times++) {
      const response = await world.post()
      await expectRefusal(response, 503, 'internal_error')
      expect(response.headers.get('retry-after')).toBe('1')
    }
    expect(world.posts.create).not.toHaveBeenCalled()
  })

  test('GET /me is 503, because it cannot say what was used', async () => {
    await using world = await failingGateway()
    await expectRefusal(await world.get('/v1/me'), 503, 'internal_error')
  })

  test('nobody gets in without a key that is good', async () => {
    await using world = await failingGateway()
    await world.get()
    const unknown = world.gateway.request('GET', '/v1/channels', { key: makeKey() })
    await expectRefusal(await unknown, 401, 'unauthorized')
  })

  test('one request in half a second asks for it, and the others do not wait', async () => {
    await using world = await failingGateway()
    for (let times = 0; times < 10; times++) await world.get()
    expect(world.state.asked).toBe(1)
    world.clock.ms += 500
    for (let times = 0; times < 10; times++) await world.get()
    expect(world.state.asked).toBe(2)
  })

  test('it is told once in the log, and counted', async () => {
    const before = { ...quotaOutageCounts }
    await using world = await failingGateway()
    await Promise.all(Array.from({ length: 5 }, () => world.get()))
    await world.post()
    expect(world.warnings()).toHaveLength(1)
    world.state.isAway = false
    world.clock.ms += 500
    expect((await world.post()).status).toBe(201)
    expect(world.warnings()).toHaveLength(2)
    expect(quotaOutageCounts).toEqual({
      outages: before.outages + 1,
      letThrough: before.letThrough + 5,
      refused: before.refused + 1,
    })
  })
})

describe('when the quota service is back', () => {
  test('limits hold again, and the next outage has its own 60 s', async () => {
    await using world = await failingGateway()
    await world.get()
    world.clock.ms += 60_000
    expect((await world.get()).status).toBe(503)
    world.state.isAway = false
    world.clock.ms += 500
    expect((await world.get()).headers.get('ratelimit')).not.toBeNull()
    world.state.isAway = true
    expect((await world.get()).status).toBe(200)
  })
})

test('a plan that the quota service does not know is 503 for its own requests only', async () => {
  const unknown = { organizationId: '' }
  const admit: QuotaClient['admit'] = async (input) => {
    const { admissions } = await admitAll(input)
    const isKnown = (index: number) =>
      input.requests[index]?.organizationId !== unknown.organizationId
    return { admissions: admissions.map((one, index) => (isKnown(index) ? one : null)) }
  }
  await using gateway = await testGateway({ quota: { admit } })
  const { key, verified } = gateway.accounts.issue()
  unknown.organizationId = verified.organization.id
  await expectRefusal(
    await gateway.request('POST', '/v1/posts', { key, body: BODY }),
    503,
    'internal_error',
  )
  expect((await gateway.request('POST', '/v1/posts', { body: BODY })).status).toBe(201)
})
