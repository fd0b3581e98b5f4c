import { AppError, unavailable } from '@herald/contracts/errors'
import { describe, expect, test } from 'vitest'
import { publish } from '../src/publish.ts'
import { publishingWorld, publishOne } from './publishing-world.ts'
import { accessTo, comeDue, held, letPass, LIVE, loseLease, rowOf, take } from './world.ts'

describe('steps before the call', () => {
  test('that failed leave nothing in doubt, and no call is made', async () => {
    await using world = await publishingWorld()
    world.script.prepare = () => ({ outcome: 'transient', message: 'Not reached.' })
    expect(await publishOne(world)).toMatchObject({ state: 'claimed', tries: 1, called_at: null })
    world.script.prepare = () => ({ outcome: 'permanent', errorCode: 'bad_file', message: 'No.' })
    await comeDue(world)
    const attempt = await take(world, 'claimed')
    await publish(world.deps, attempt)
    expect(await rowOf(world, attempt)).toMatchObject({
      state: 'rejected',
      outcome: { errorCode: 'bad_file', latenessMs: null },
    })
    expect(world.calls.commit).toEqual([])
  })

  test('that took longer than the lease end in no call when another worker took over', async () => {
    await using world = await publishingWorld()
    const slow = await held(world)
    world.script.prepare = async () => {
      await loseLease(world)
      await take(world, 'claimed')
      return { outcome: 'ready', step: { late: true } }
    }
    await publish(world.deps, slow)
    expect(world.calls.commit).toEqual([])
    expect(await rowOf(world, slow)).toMatchObject({ state: 'claimed', step: null, tries: 0 })
  })
})

describe('access to the channel', () => {
  test.for([
    ['reauth_required', new AppError('reauth_required', 'Dead.'), 'reauth_required'],
    ['not_found', new AppError('not_found', 'Gone.'), 'channel_disconnected'],
  ] as const)('refused with %s ends the attempt without a call', async ([, error, errorCode]) => {
    await using world = await publishingWorld()
    world.script.access = () => Promise.reject(error)
    expect(await publishOne(world)).toMatchObject({
      state: 'rejected',
      tries: 0,
      outcome: { errorCode, retryable: true, attempts: 0, latenessMs: null },
    })
    expect(world.calls.commit).toEqual([])
  })

  test('that cannot be had right now puts the attempt off', async () => {
    await using world = await publishingWorld()
    world.script.access = () => Promise.reject(unavailable())
    const row = await publishOne(world)
    expect(row).toMatchObject({ state: 'claimed', tries: 1, called_at: null, lease_until: null })
    expect(world.calls.results).toMatchObject([{ outcome: 'delayed', errorCode: 'unavailable' }])
    expect(world.calls.commit).toEqual([])
  })
})

describe('a token that the platform refused', () => {
  test('is reported, and with a new one the attempt goes on', async () => {
    await using world = await publishingWorld()
    world.script.commit = () => ({ outcome: 'reauth', message: 'Dead token.' })
    const row = await publishOne(world)
    expect(row).toMatchObject({ state: 'claimed', tries: 1 })
    expect(world.calls.deadTokens).toEqual(['token-1'])
    expect(world.calls.results).toMatchObject([{ outcome: 'delayed', errorCode: 'token_refused' }])
    world.script.access = (channelId) => ({ ...accessTo(channelId), token: 'token-2' })
    world.script.commit = () => ({ outcome: 'published', ...LIVE })
    await comeDue(world)
    await publish(world.deps, await take(world, 'claimed'))
    expect(await rowOf(world, row)).toMatchObject({ state: 'published', tries: 2 })
    expect(world.calls.commit.map(({ token }) => token)).toEqual(['token-1', 'token-2'])
  })

  test('with a grant that is dead as well ends the attempt', async () => {
    await using world = await publishingWorld()
    world.script.commit = () => ({ outcome: 'reauth', message: 'Dead token.' })
    world.script.reportDeadToken = () => 'reauth_required'
    expect(await publishOne(world)).toMatchObject({
      state: 'rejected',
      outcome: { errorCode: 'reauth_required', retryable: true, attempts: 1 },
    })
  })

  test('is tried again when it could not be reported', async () => {
    await using world = await publishingWorld()
    world.script.prepare = () => ({ outcome: 'reauth', message: 'Dead token.' })
    world.script.reportDeadToken = () => Promise.reject(unavailable())
    expect(await publishOne(world)).toMatchObject({ state: 'claimed', tries: 1 })
    expect(world.calls.commit).toEqual([])
  })
})

describe('an attempt', () => {
  test('whose time has passed is missed, without a call', async () => {
    await using world = await publishingWorld()
    const attempt = await held(world)
    await letPass(world, '58 minutes')
    await publish(world.deps, {
      ...attempt,
      deadline_at: (await rowOf(world, attempt)).deadline_at,
    })
    expect(await rowOf(world, attempt)).toMatchObject({
      state: 'rejected',
      outcome: { errorCode: 'missed', retryable: true, attempts: 0, latenessMs: null },
    })
    expect(world.calls.prepare).toEqual([])
    expect(world.calls.commit).toEqual([])
  })

  test('whose time passes while it is prepared is not called', async () => {
    await using world = await publishingWorld()
    world.script.prepare = async () => {
      await world.pool.query('update attempts set deadline_at = clock_timestamp()')
      return { outcome: 'ready', step: {} }
    }
    expect(await publishOne(world)).toMatchObject({ state: 'claimed', tries: 0 })
    expect(world.calls.commit).toEqual([])
    await loseLease(world)
    const again = await take(world, 'claimed')
    await publish(world.deps, again)
    expect(await rowOf(world, again)).toMatchObject({
      state: 'rejected',
      outcome: { errorCode: 'missed' },
    })
  })

  test('on a platform that is not supported ends at once', async () => {
    await using world = await publishingWorld()
    const attempt = await held(world, { platform: 'TIKTOK' })
    await publish(world.deps, attempt)
    expect(await rowOf(world, attempt)).toMatchObject({
      state: 'rejected',
      outcome: { errorCode: 'unsupported', retryable: false },
    })
  })

  test('that succeeded after its lease was lost has succeeded', async () => {
    await using world = await publishingWorld()
    world.script.commit = async () => {
      await world.pool.query(`update attempts set state = 'unknown', fence = fence + 1`)
      return { outcome: 'published', ...LIVE }
    }
    expect(await publishOne(world)).toMatchObject({ state: 'published', outcome: LIVE })
  })
})
