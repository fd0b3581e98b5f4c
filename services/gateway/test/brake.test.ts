import { describe, expect, test } from 'vitest'
import { brake } from '../src/brake.ts'
import { expectRefusal, testGateway, type TestGateway } from './harness.ts'
import { makeKey } from './keys.ts'

const guess = (gateway: TestGateway, from?: string) =>
  gateway.request('GET', '/v1/me', {
    key: makeKey(),
    headers: from === undefined ? {} : { 'X-Forwarded-For': from },
  })

async function guessTimes(gateway: TestGateway, times: number, from?: string): Promise<void> {
  for (let count = 0; count < times; count++)
    await expectRefusal(await guess(gateway, from), 401, 'unauthorized')
}

describe('after 50 bad keys in a minute from one address', () => {
  test('the next is 429 with Retry-After, and accounts is not asked', async () => {
    const clock = { ms: 0 }
    const now = () => Date.parse('2026-11-21T07:00:00.000Z') + clock.ms
    await using gateway = await testGateway({ elapsed: () => clock.ms, now })
    await guessTimes(gateway, 50)
    clock.ms = 20_000
    const refused = await guess(gateway)
    const { details } = await expectRefusal(refused, 429, 'rate_limited')
    expect(details).toEqual({ resetsAt: '2026-11-21T07:01:00.000Z' })
    expect(refused.headers.get('retry-after')).toBe('40')
    expect(refused.headers.get('www-authenticate')).toBeNull()
    expect(gateway.accounts.asked).toHaveLength(50)
    clock.ms = 60_000
    await guessTimes(gateway, 1)
  })

  test('keys that cannot be any count too, requests without a key do not', async () => {
    await using gateway = await testGateway()
    for (let count = 0; count < 60; count++)
      expect((await gateway.request('GET', '/v1/me', { key: null })).status).toBe(401)
    for (let count = 0; count < 50; count++)
      expect((await gateway.request('GET', '/v1/me', { key: 'x' })).status).toBe(401)
    await expectRefusal(await gateway.request('GET', '/v1/me', { key: 'x' }), 429, 'rate_limited')
    expect((await gateway.request('GET', '/v1/me', { key: null })).status).toBe(401)
  })

  test('a key that was good the last time goes on to be good, until it is refused itself', async () => {
    const clock = { ms: 0 }
    await using gateway = await testGateway({ elapsed: () => clock.ms })
    expect((await gateway.request('GET', '/v1/me')).status).toBe(200)
    await guessTimes(gateway, 50)
    // What is known of the key must be asked anew.
    clock.ms = 6_000
    expect((await gateway.request('GET', '/v1/me')).status).toBe(200)
    gateway.accounts.revoke(gateway.key)
    clock.ms = 12_000
    expect((await gateway.request('GET', '/v1/me')).status).toBe(401)
    await expectRefusal(await gateway.request('GET', '/v1/me'), 429, 'rate_limited')
  })

  test('an outage of accounts is no bad key', async () => {
    await using gateway = await testGateway()
    gateway.accounts.failWith(new Error('away'))
    for (let count = 0; count < 51; count++) expect((await guess(gateway)).status).toBe(503)
  })
})

describe('the address', () => {
  test('is that of the connection, whatever X-Forwarded-For says', async () => {
    await using gateway = await testGateway()
    for (let count = 0; count < 50; count++) await guessTimes(gateway, 1, `192.0.2.${count}`)
    await expectRefusal(await guess(gateway, '192.0.2.99'), 429, 'rate_limited')
  })

  test('is the one that a trusted proxy tells, and not what a client put before it', async () => {
    await using gateway = await testGateway({ trustedProxies: ['127.0.0.0/8', '10.0.0.1'] })
    for (let count = 0; count < 50; count++)
      await guessTimes(gateway, 1, `203.0.113.${count}, 192.0.2.1, 10.0.0.1`)
    await expectRefusal(await guess(gateway, '192.0.2.1'), 429, 'rate_limited')
    await guessTimes(gateway, 1, '192.0.2.2')
  })
})

test('only so many addresses and good keys are remembered, the latest', () => {
  const brakes = brake({ elapsed: () => 0, maxEntries: 2 })
  const bad = (address: string) => {
    for (let count = 0; count < 50; count++) brakes.noteBad(address, undefined)
  }
  for (const address of ['a', 'b', 'c']) bad(address)
  const waits = ['a', 'b', 'c'].map((address) => brakes.waitOf(address, undefined))
  expect(waits).toEqual([0, 60_000, 60_000])
  for (const key of ['1', '2', '3']) brakes.noteGood(key)
  expect(['1', '2', '3'].map((key) => brakes.waitOf('c', key))).toEqual([60_000, 0, 0])
})
