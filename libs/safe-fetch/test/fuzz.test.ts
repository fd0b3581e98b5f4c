import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTestPublic, outcome } from './outcome.ts'
import { OK, serving } from './public-server.ts'
import { answering, FILE } from './tcp-server.ts'

/** `outcome` fails for every error that is not a refusal, and counts as an answer here. */
const isOutcome = expect.toSatisfy((found: object) => 'file' in found || 'refused' in found)
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.webPath(), fc.webUrl(), fc.string())

test('any text as an address is refused or downloaded', async () => {
  const asked: string[] = []
  const resolve = (name: string) => {
    asked.push(name)
    return Promise.reject(new Error('no such name'))
  }
  const options = { resolve, isAllowedAddress: () => false }
  await fc.assert(
    fc.asyncProperty(text, async (address) => {
      expect(await outcome(address, options)).toHaveProperty('refused')
      expect(await outcome(`http://${address}.example/`, options)).toHaveProperty('refused')
    }),
    { numRuns: 500 },
  )
  expect(asked.length).toBeGreaterThan(0)
})

test('any path of a public host can be asked for', async () => {
  await using server = await answering(() => FILE, { host: '127.0.0.1' })
  const options = { ports: [server.port], isAllowedAddress: isTestPublic }
  await fc.assert(
    fc.asyncProperty(text, async (path) => {
      const address = `http://127.0.0.1:${server.port}/${path}`
      expect(await outcome(address, options)).toEqual({ file: 'file' })
    }),
    { numRuns: 100 },
  )
})

test('any answer is a file or a refusal', async () => {
  let answer = Buffer.alloc(0)
  await using server = await serving((socket) => socket.end(answer))
  const bytes = fc
    .uint8Array({ maxLength: 100 })
    .map((array) => Buffer.from(array).toString('latin1'))
  const line = fc.oneof(
    bytes,
    fc
      .tuple(
        fc.constantFrom('content-length', 'transfer-encoding', 'content-disposition', 'location'),
        bytes,
      )
      .map((pair) => pair.join(': ')),
    fc.constantFrom('HTTP/1.1 200 OK', 'HTTP/1.1 302 x', 'HTTP/1.1 100 x', 'HTTP/0.9 200', ''),
    fc.constantFrom(
      'content-length: 3',
      'transfer-encoding: chunked',
      'location: //127.0.0.1',
      'connection: upgrade',
    ),
  )
  const answers = fc.tuple(
    fc.constantFrom(OK, 'HTTP/1.1 302 x\r\n', ''),
    fc.array(line, { maxLength: 6 }),
  )
  await fc.assert(
    fc.asyncProperty(answers, async ([start, lines]) => {
      answer = Buffer.from(start + lines.join('\r\n') + '\r\n\r\n', 'latin1')
      expect(await outcome(server.url, server.options)).toEqual(isOutcome)
    }),
    { numRuns: 300 },
  )
})
