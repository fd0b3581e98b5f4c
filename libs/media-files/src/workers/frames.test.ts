import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeFrame, type Frame, frameReader } from './frames.ts'

const messages = fc.array(
  fc.record({ head: fc.jsonValue(), body: fc.uint8Array({ maxLength: 99 }) }),
)

test('messages arrive as they were sent, however the stream is cut', () => {
  const property = fc.property(messages, fc.integer({ min: 1, max: 50 }), (sent, cut) => {
    const stream = Buffer.concat(sent.map(({ head, body }) => encodeFrame(head, body)))
    const read = frameReader({ maxBodyBytes: 99 })
    const arrived: Frame[] = []
    for (let at = 0; at < stream.length; at += cut) {
      arrived.push(...read(stream.subarray(at, at + cut)))
    }
    expect(arrived).toEqual(
      // JSON knows no negative zero.
      sent.map(({ head, body }) => ({
        head: JSON.parse(JSON.stringify(head)),
        body: Buffer.from(body),
      })),
    )
  })
  fc.assert(property)
})

test.each([
  ['a body that is too long', Buffer.from([0, 0, 0, 2, 0, 0, 0, 100])],
  ['a head that is too long', Buffer.from([255, 255, 255, 255, 0, 0, 0, 0])],
])('%s is refused before it has arrived', (_, start) => {
  expect(() => [...frameReader({ maxBodyBytes: 99 })(start)]).toThrow(RangeError)
})

test('messages in front of a broken one arrive', () => {
  const stream = Buffer.concat([encodeFrame('whole'), Buffer.alloc(8, 255)])
  const frames = frameReader({ maxBodyBytes: 0 })(stream)
  expect(frames.next().value).toMatchObject({ head: 'whole' })
  expect(() => frames.next()).toThrow(RangeError)
})

test('a head that is no JSON is refused', () => {
  const frame = Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]), Buffer.from('{')])
  expect(() => [...frameReader({ maxBodyBytes: 0 })(frame)]).toThrow(SyntaxError)
})
