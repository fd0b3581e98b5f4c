import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chunksIn, chunksOf, rangeOf } from './chunks.ts'

const MB = 1024 * 1024

describe('a video for TikTok is cut', () => {
  test.each([
    ['into one chunk when it is small', 1, { count: 1, chunkBytes: 1 }],
    ['into one below 5 MB', 5 * MB - 1, { count: 1, chunkBytes: 5 * MB - 1 }],
    [
      'into one as long as the rest is no chunk',
      10 * MB - 1,
      { count: 1, chunkBytes: 10 * MB - 1 },
    ],
    ['into two from there', 10 * MB, { count: 2, chunkBytes: 5 * MB }],
    ['with the rest in the last one', 14 * MB + 7, { count: 2, chunkBytes: 5 * MB }],
    ['into 38 for 200 MB', 200_000_000, { count: 38, chunkBytes: 5 * MB }],
  ])('%s', (_, sizeBytes, expected) => {
    expect(chunksOf(sizeBytes)).toEqual(expected)
  })

  test('without a gap, in as many chunks as the rounded-down division says, the last one below 10 MB', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000_000 }), (sizeBytes) => {
        const { count, chunkBytes } = chunksOf(sizeBytes)
        expect(count).toBe(Math.floor(sizeBytes / chunkBytes))
        let at = 0
        for (let index = 0; index < count; index += 1) {
          const { from, end } = rangeOf(index, sizeBytes)
          expect(from).toBe(at)
          expect(end - from).toBeLessThan(10 * MB)
          at = end
        }
        expect(at).toBe(sizeBytes)
      }),
    )
  })

  test.each([
    [0, 0],
    [5 * MB, 1],
    [5 * MB + 1, undefined],
    [10 * MB, 2],
    [15 * MB, undefined],
  ])('and of %i bytes that are there it is known how many chunks they are', (bytes, expected) => {
    expect(chunksIn(bytes, 15 * MB)).toBe(expected)
  })
})
