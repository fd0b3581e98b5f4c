import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { afterEach, expect, test, vi } from 'vitest'
import { BodyStalled, StorageUnavailable, WrongLength } from './errors.ts'
import { exactly, guardedBody } from './guarded-body.ts'

const idleMs = 1_000

afterEach(() => void vi.useRealTimers())

/** Lets streams do what they can do without time passing. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

function withFakeTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
}

test('a reader that takes its time is not cut off', async () => {
  withFakeTime()
  const source = Readable.from([Buffer.alloc(200_000, 'a'), Buffer.alloc(200_000, 'b')])
  const body = guardedBody(source, 400_000, idleMs)
  await settle()
  vi.advanceTimersByTime(60 * idleMs)
  expect((await buffer(body)).length).toBe(400_000)
})

test('a source that stops giving is cut off, and destroyed', async () => {
  withFakeTime()
  const source = new Readable({ read() {} })
  const body = guardedBody(source, 10, idleMs)
  const reading = Promise.allSettled([text(body)])
  source.push('12345')
  await settle()
  vi.advanceTimersByTime(idleMs - 1)
  expect(source.destroyed).toBe(false)
  vi.advanceTimersByTime(1)
  expect(await reading).toMatchObject([{ reason: expect.any(StorageUnavailable) }])
  expect(source.destroyed).toBe(true)
})

test('a whole body that nobody reads yet is not cut off', async () => {
  withFakeTime()
  const body = guardedBody(Readable.from([]), 0, idleMs)
  await settle()
  vi.advanceTimersByTime(60 * idleMs)
  expect(await text(body)).toBe('')
})

test('a source that ends early fails its reader', async () => {
  const body = guardedBody(Readable.from([Buffer.from('123')]), 4, idleMs)
  await expect(text(body)).rejects.toThrow('3 of 4 bytes came')
})

test('the last piece only comes out of a body that has the right length', async () => {
  for (const pieces of [['12', '345'], ['12', '34', '5'], ['12']]) {
    const body = Readable.from(pieces.map((piece) => Buffer.from(piece)))
    let given = ''
    const reading = (async () => {
      for await (const chunk of exactly(body, 4, idleMs)) given += String(chunk)
    })()
    await expect(reading).rejects.toThrow(WrongLength)
    expect(given.length).toBeLessThan(4)
  }
})

test('time that is spent on a piece does not count as a stall of the body', async () => {
  withFakeTime()
  const body = Readable.from(['12', '34', '5'].map((piece) => Buffer.from(piece)))
  let given = ''
  for await (const chunk of exactly(body, 5, idleMs)) {
    vi.advanceTimersByTime(60 * idleMs)
    given += String(chunk)
  }
  expect(given).toBe('12345')
})

test('a body that gives nothing has stalled', async () => {
  withFakeTime()
  const body = new Readable({ read() {} })
  const reading = Promise.allSettled([exactly(body, 5, idleMs).next()])
  vi.advanceTimersByTime(idleMs)
  expect(await reading).toMatchObject([{ reason: expect.any(BodyStalled) }])
  expect(body.destroyed).toBe(true)
})
