import { describe, expect, test } from 'vitest'
import { etagOf, requireMatch } from './etag.ts'

const POST = { id: 'post_1', status: 'scheduled', channels: [{ id: 'a', error: null }], media: [] }

describe('the tag of a representation', () => {
  test('is strong, in quotes, and the same in whatever order names stand', () => {
    expect(etagOf(POST)).toMatch(/^"[A-Za-z0-9_-]{27}"$/)
    const { id, status, media } = POST
    expect(etagOf({ media, channels: [{ error: null, id: 'a' }], status, id })).toBe(etagOf(POST))
  })

  test.each([
    ['a value', { ...POST, status: 'failed' }],
    ['a field that is gone', { id: 'post_1', status: 'scheduled', channels: POST.channels }],
    ['a field more', { ...POST, more: null }],
    ['a value deep inside', { ...POST, channels: [{ id: 'a', error: '' }] }],
    ['one of a list', { ...POST, channels: [] }],
    ['the kind of a value', { ...POST, status: ['scheduled'] }],
  ])('is another with another of %s', (_name, other) => {
    expect(etagOf(other)).not.toBe(etagOf(POST))
  })

  test('is another when a list stands in another order', () => {
    expect(etagOf({ list: [1, 2] })).not.toBe(etagOf({ list: [2, 1] }))
  })
})

describe('a condition', () => {
  test.each([
    ['none', undefined],
    ['any', '*' as const],
    ['the tag', [etagOf(POST)]],
    ['the tag among others', ['"a"', etagOf(POST)]],
  ])('of %s holds', (_name, ifMatch) => {
    expect(() => requireMatch(ifMatch, () => POST)).not.toThrow()
  })

  test.each([
    ['another tag', ['"a"']],
    ['the tag without its quotes', [etagOf(POST).slice(1, -1)]],
    ['no tag', []],
  ])('of %s is 412 conflict with a reason', (_name, ifMatch) => {
    expect(() => requireMatch(ifMatch, () => POST)).toThrow(
      expect.objectContaining({
        code: 'conflict',
        status: 412,
        details: { reason: 'etag_mismatch' },
      }),
    )
  })
})
