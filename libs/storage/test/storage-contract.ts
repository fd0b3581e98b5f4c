import { randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { BodyStalled, StorageMissing, WrongLength } from '../src/errors.ts'
import type { Deadlines, Storage } from '../src/storage.ts'
import { collect } from './collect.ts'

/** Opens the storage that the contract is checked on; each call may give it other deadlines. */
export type OpenStorage = (deadlines?: Partial<Deadlines>) => Storage

const type = { contentType: 'application/octet-stream' }

/** What every object storage guarantees, whatever keeps the bytes. */
export function storageContract(open: OpenStorage): void {
  const storage = open()
  const newKey = () => `contract/${randomUUID()}`
  const put = (key: string, body: Buffer) =>
    storage.put(key, body, { ...type, contentLength: body.length })
  const read = async (key: string, range?: { start: number; end: number }) =>
    (await buffer(await storage.get(key, range))).toString()

  describe('objects', () => {
    test('what was put is there, byte by byte', async () => {
      const [key, body] = [newKey(), randomBytes(3_000_000)]
      await storage.put(key, Readable.from(chunksOf(body, 70_000)), {
        ...type,
        contentLength: body.length,
      })
      expect((await buffer(await storage.get(key))).equals(body)).toBe(true)
      expect(await storage.head(key)).toMatchObject({ sizeBytes: body.length })
    })

    test('an empty object is an object', async () => {
      const key = newKey()
      await put(key, Buffer.alloc(0))
      expect(await storage.head(key)).toMatchObject({ sizeBytes: 0 })
      expect(await read(key)).toBe('')
    })

    test('a put replaces what was there, and its etag', async () => {
      const key = newKey()
      await put(key, Buffer.from('old'))
      const before = await storage.head(key)
      await put(key, Buffer.from('new'))
      expect(await read(key)).toBe('new')
      expect((await storage.head(key))?.etag).not.toBe(before?.etag)
      expect((await storage.head(key))?.etag).toBe((await storage.head(key))?.etag)
    })

    test('an object that is not there is missing everywhere', async () => {
      const key = newKey()
      expect(await storage.head(key)).toBeUndefined()
      await expect(storage.get(key)).rejects.toThrow(StorageMissing)
      await expect(storage.get(key, { start: 0, end: 9 })).rejects.toThrow(StorageMissing)
      await expect(storage.copy(key, newKey())).rejects.toThrow(StorageMissing)
      await storage.delete(key)
    })

    test('a part of a path is no object', async () => {
      const key = newKey()
      await put(`${key}/inner`, Buffer.from('x'))
      expect(await storage.head(key)).toBeUndefined()
      await expect(storage.get(key)).rejects.toThrow(StorageMissing)
      await storage.delete(key)
      expect(await read(`${key}/inner`)).toBe('x')
    })

    test('a deleted object is gone', async () => {
      const key = newKey()
      await put(key, Buffer.from('x'))
      await storage.delete(key)
      expect(await storage.head(key)).toBeUndefined()
      await storage.delete(key)
    })

    test('a copy is an object of its own, and replaces what was there', async () => {
      const [from, to] = [newKey(), newKey()]
      await put(from, Buffer.from('copied'))
      await put(to, Buffer.from('old'))
      await storage.copy(from, to)
      await put(from, Buffer.from('changed'))
      expect(await read(to)).toBe('copied')
      await storage.delete(from)
      expect(await read(to)).toBe('copied')
    })

    test('a storage that works is ready', async () => {
      expect(await storage.isReady()).toBe(true)
    })

    test.each(['../a', '/a', 'a/../../b', 'a//b', 'A', '', 'a/', 'a\0b'])(
      'nothing is done with %j, which is no key',
      async (key) => {
        const body = Readable.from(['x'])
        const input = { ...type, contentLength: 1 }
        await expect(storage.head(key)).rejects.toThrow(TypeError)
        await expect(storage.get(key)).rejects.toThrow(TypeError)
        await expect(storage.put(key, body, input)).rejects.toThrow(TypeError)
        expect(body.destroyed).toBe(true)
        await expect(storage.copy('a', key)).rejects.toThrow(TypeError)
        await expect(storage.copy(key, 'a')).rejects.toThrow(TypeError)
        await expect(storage.delete(key)).rejects.toThrow(TypeError)
        await expect(storage.presignPut({ key, ...input, expiresSeconds: 9 })).rejects.toThrow(
          TypeError,
        )
      },
    )
  })

  describe('parts of objects', () => {
    const key = newKey()
    test.each([
      { start: 0, end: 0, text: '0' },
      { start: 0, end: 3, text: '0123' },
      { start: 4, end: 9, text: '456789' },
      { start: 9, end: 9, text: '9' },
      { start: 7, end: 1_000_000, text: '789' },
    ])('bytes $start to $end of ten are $text', async ({ text, ...range }) => {
      await put(key, Buffer.from('0123456789'))
      expect(await read(key, range)).toBe(text)
    })

    test('a part that starts behind the end is refused', async () => {
      await put(key, Buffer.from('0123456789'))
      await expect(storage.get(key, { start: 10, end: 20 })).rejects.toThrow(RangeError)
      const empty = newKey()
      await put(empty, Buffer.alloc(0))
      await expect(storage.get(empty, { start: 0, end: 0 })).rejects.toThrow(RangeError)
    })

    test.each([
      { start: -1, end: 1 },
      { start: 2, end: 1 },
      { start: 0.5, end: 1 },
      { start: 0, end: Number.NaN },
    ])('$start to $end is no range', async (range) => {
      await expect(storage.get(key, range)).rejects.toThrow(RangeError)
    })
  })

  describe('lists', () => {
    test('a list has every key that starts with the prefix, over many pages, and no other', async () => {
      const base = `many-${randomBytes(6).toString('hex')}`
      const keys = Array.from({ length: 1_050 }, (_, index) => `${base}/${index % 7}/k${index}`)
      const others = [`${base}x/0`, `${base}-other`]
      for (const some of chunksOf([...keys, ...others], 30)) {
        await Promise.all(some.map((key) => put(key, Buffer.from('12345'))))
      }
      const objects = await collect(storage.list(`${base}/`))
      expect(objects.map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
      expect(new Set(objects.map(({ sizeBytes }) => sizeBytes))).toEqual(new Set([5]))
      const oldest = Math.min(...objects.map(({ modifiedAt }) => Date.parse(modifiedAt)))
      expect(oldest).toBeGreaterThan(Date.now() - 600_000)
      const part = await collect(storage.list(`${base}/3/k1`))
      const expected = keys.filter((key) => key.startsWith(`${base}/3/k1`))
      expect(part.map(({ key }) => key).toSorted()).toEqual(expected.toSorted())
    })

    test('names with dots, dashes and digits come out of a list as they went in', async () => {
      const base = `names-${randomBytes(6).toString('hex')}`
      const names = ['007', '1e3', '1.0', '.hidden', 'a-b.c_d', '0x10', 'true', 'null']
      const keys = names.map((name) => `${base}/${name}`)
      for (const key of keys) await put(key, Buffer.from('x'))
      const objects = await collect(storage.list(`${base}/`))
      expect(objects.map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
    })

    test('a list of nothing is empty', async () => {
      expect(await collect(storage.list(`nothing-${randomUUID()}/`))).toEqual([])
    })

    test('a prefix that no key can have is refused', async () => {
      await expect(collect(storage.list('../'))).rejects.toThrow(TypeError)
    })
  })

  describe('bodies that are not what was announced', () => {
    test.each([
      { what: 'one byte more in a piece of its own', body: ['12345', '6'] },
      { what: 'one byte more', body: ['123456'] },
      { what: 'one byte less', body: ['12', '34'] },
      { what: 'nothing', body: [] },
    ])('a body with $what is refused and nothing is visible', async ({ body }) => {
      const key = newKey()
      const source = Readable.from(body.map((text) => Buffer.from(text)))
      const putting = storage.put(key, source, { ...type, contentLength: 5 })
      await expect(putting).rejects.toThrow(WrongLength)
      expect(source.destroyed).toBe(true)
      expect(await storage.head(key)).toBeUndefined()
    })

    test('a byte too many for an empty object is refused', async () => {
      const key = newKey()
      const putting = storage.put(key, Buffer.from('x'), { ...type, contentLength: 0 })
      await expect(putting).rejects.toThrow(WrongLength)
      expect(await storage.head(key)).toBeUndefined()
    })

    test('a body that fails fails the put with its own error, and what was there stays', async () => {
      const key = newKey()
      await put(key, Buffer.from('kept'))
      const failure = new Error('the source broke')
      const source = Readable.from(
        (async function* () {
          yield Buffer.alloc(200_000)
          throw failure
        })(),
      )
      const putting = storage.put(key, source, { ...type, contentLength: 400_000 })
      await expect(putting).rejects.toBe(failure)
      expect(await read(key)).toBe('kept')
    })

    test('a body that stalls is given up, and what was there stays', async () => {
      const key = newKey()
      await put(key, Buffer.from('kept'))
      const source = new Readable({ read() {} })
      source.push(Buffer.alloc(100_000))
      const putting = open({ idleMs: 50 }).put(key, source, { ...type, contentLength: 200_000 })
      await expect(putting).rejects.toThrow(BodyStalled)
      expect(source.destroyed).toBe(true)
      expect(await read(key)).toBe('kept')
    })
  })

  describe('at the same time', () => {
    test('a reader sees one whole object or the other while it is replaced', async () => {
      const key = newKey()
      const size = 1_000_000
      await put(key, Buffer.alloc(size, 'a'))
      let isWriting = true
      const writer = (async () => {
        for (const letter of 'bcdefghi') await put(key, Buffer.alloc(size, letter))
        isWriting = false
      })()
      let reads = 0
      while (isWriting) {
        const body = await buffer(await storage.get(key))
        expect(body.length).toBe(size)
        expect(body.equals(Buffer.alloc(size, body.subarray(0, 1)))).toBe(true)
        reads++
      }
      await writer
      expect(reads).toBeGreaterThan(0)
    })

    test('of two puts at once one is there afterwards, whole', async () => {
      const key = newKey()
      const bodies = ['a', 'b', 'c', 'd'].map((letter) => Buffer.alloc(300_000, letter))
      await Promise.all(bodies.map((body) => put(key, body)))
      const found = await buffer(await storage.get(key))
      expect(bodies.some((body) => body.equals(found))).toBe(true)
    })
  })

  describe('callers that give up', () => {
    test('a put that is given up leaves nothing, and its body is let go', async () => {
      const key = newKey()
      const control = new AbortController()
      const source = new Readable({ read() {} })
      source.push(Buffer.alloc(100_000))
      const input = { ...type, contentLength: 200_000, signal: control.signal }
      const putting = storage.put(key, source, input)
      control.abort(new Error('given up'))
      await expect(putting).rejects.toThrow('given up')
      expect(source.destroyed).toBe(true)
      expect(await storage.head(key)).toBeUndefined()
    })

    test('a get that is given up fails its stream', async () => {
      const key = newKey()
      await put(key, Buffer.alloc(5_000_000))
      const control = new AbortController()
      const body = await storage.get(key, undefined, control.signal)
      control.abort()
      await expect(buffer(body)).rejects.toMatchObject({ name: 'AbortError' })
    })

    test('what was given up before it began is not begun', async () => {
      const signal = AbortSignal.abort(new Error('given up'))
      const key = newKey()
      await expect(storage.get(key, undefined, signal)).rejects.toThrow('given up')
      const body = Readable.from(['x'])
      const putting = storage.put(key, body, { ...type, contentLength: 1, signal })
      await expect(putting).rejects.toThrow('given up')
      expect(body.destroyed).toBe(true)
      expect(await storage.head(key)).toBeUndefined()
    })
  })
}

function chunksOf(body: Buffer, size: number): Buffer[]
function chunksOf<T>(items: T[], size: number): T[][]
function chunksOf(items: Buffer | unknown[], size: number): unknown[] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}
