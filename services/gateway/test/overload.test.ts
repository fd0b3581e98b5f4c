import { once } from 'node:events'
import { eventually } from '@herald/testing/eventually'
import { describe, expect, test } from 'vitest'
import { measureLag, smooth } from '../src/event-loop-lag.ts'
import { expectRefusal, testGateway } from './harness.ts'
import { answersOn, exchange, openSocket } from './raw-socket.ts'

describe('while the process cannot keep up', () => {
  test('503 with Retry-After comes before anything is done for a request', async () => {
    await using gateway = await testGateway({ isOverloaded: () => true })
    for (const path of ['/v1/me', '/v1/posts', '/v1/nothing', '/docs']) {
      const response = await gateway.request('GET', path)
      expect(response.headers.get('retry-after')).toBe('1')
      await expectRefusal(response, 503, 'internal_error')
    }
    expect(gateway.accounts.asked).toEqual([])
    expect(gateway.posts.list).not.toHaveBeenCalled()
  })

  test('the body of a refused request is not read', async () => {
    await using gateway = await testGateway({ isOverloaded: () => true })
    const body = { content: 'a'.repeat(200_000), channelIds: ['c'] }
    await expectRefusal(await gateway.request('POST', '/v1/posts', { body }), 503, 'internal_error')
    expect(gateway.posts.create).not.toHaveBeenCalled()
  })

  test('health is answered, and the log tells of it once', async () => {
    let isOverloaded = true
    await using gateway = await testGateway({ isOverloaded: () => isOverloaded })
    for (let times = 0; times < 3; times++) await gateway.request('GET', '/v1/me')
    for (const path of ['/healthz', '/readyz'])
      expect((await gateway.request('GET', path, { key: null })).status).toBe(200)
    expect(gateway.log.filter(({ level }) => Number(level) > 30)).toHaveLength(1)
    isOverloaded = false
    expect((await gateway.request('GET', '/v1/me')).status).toBe(200)
  })
})

describe('how late the process is', () => {
  test('counts less when it was one pause, and more with every pause behind it', () => {
    const [one, two, three] = [
      smooth(0, 250),
      smooth(smooth(0, 250), 250),
      smooth(smooth(smooth(0, 250), 250), 250),
    ]
    expect(one).toBeLessThan(200)
    expect(two).toBeLessThan(200)
    expect(three).toBeGreaterThan(200)
    expect(smooth(smooth(three, 0), 0)).toBeLessThan(200)
  })

  test('is nothing when a timer was early', () => {
    expect(smooth(0, -5)).toBe(0)
  })

  test('is seen when something holds the process up', async () => {
    const lag = measureLag({ everyMs: 20 })
    const until = performance.now() + 600
    while (performance.now() < until);
    await eventually(() => expect(lag.lagMs()).toBeGreaterThan(200), { intervalMs: 1 })
    lag.stop()
  })
})

describe('connections', () => {
  test('of which there is one too many are closed without an answer, until there is room', async () => {
    await using gateway = await testGateway({ maxConnections: 1 })
    const key = `Authorization: Bearer ${gateway.key}`
    const lines = ['GET /v1/me HTTP/1.1', 'Host: x', key, 'Connection: close', '', '']
    const held = openSocket(gateway.url)
    await once(held, 'connect')
    held.write('GET /v1/me HTTP/1.1\r\n')
    await eventually(async () => expect(await exchange(gateway.url, lines)).toEqual([]))
    held.destroy()
    await eventually(async () => expect(await exchange(gateway.url, lines)).toHaveLength(1))
  })

  test('on which nothing is ever sent are closed', async () => {
    await using gateway = await testGateway({ headersTimeoutMs: 100, checkEveryMs: 20 })
    const answers = await answersOn(openSocket(gateway.url))
    for (const answer of answers) await expectRefusal(answer, 408, 'validation_failed')
  })
})
