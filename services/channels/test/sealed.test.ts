import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { VersionedSecrets } from '@herald/service/versioned-secrets'
import { open, seal, type Sealed, sealAgain } from '../src/sealed.ts'

const keys: VersionedSecrets = [{ version: 1, secret: randomBytes(32) }]
const NEWER = { version: 2, secret: randomBytes(32) }
const owner = { organizationId: 'org_1', row: 'chan_1' }
const secrets = { accessToken: 'canary', refreshToken: 'ü' }
const sealed = seal(secrets, owner, keys)

const REFUSED = 'unable to authenticate data'

function flipped(bytes: Buffer, index: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[index]! ^= 1
  return copy
}

describe('sealed secrets', () => {
  test('open in their row', () => {
    expect(open(sealed, owner, keys)).toEqual(secrets)
  })

  test('do not show what they hold', () => {
    expect(sealed.ciphertext.toString('latin1')).not.toContain('canary')
  })

  test('are sealed with a new nonce each time', () => {
    const nonces = Array.from({ length: 100 }, () =>
      seal(secrets, owner, keys).nonce.toString('hex'),
    )
    expect(new Set(nonces).size).toBe(100)
    expect(sealed.nonce).toHaveLength(12)
  })

  test('open with the key of their version, and are sealed with the first one', () => {
    const both: VersionedSecrets = [NEWER, ...keys]
    expect(open(sealed, owner, both)).toEqual(secrets)
    const again = sealAgain(sealed, owner, both)
    expect(again).toMatchObject({ key_version: 2, nonce: sealed.nonce })
    expect(again.ciphertext).not.toEqual(sealed.ciphertext)
    expect(open(again, owner, [NEWER])).toEqual(secrets)
    expect(seal(secrets, owner, both).key_version).toBe(2)
  })

  test.each([
    ['another channel', { ...owner, row: 'chan_2' }],
    ['another organization', { ...owner, organizationId: 'org_2' }],
  ])('do not open in the row of %s', (_, other) => {
    expect(() => open(sealed, other, keys)).toThrow(REFUSED)
  })

  test('do not open with another key, nor as those of another key version', () => {
    expect(() => open(sealed, owner, [{ version: 1, secret: randomBytes(32) }])).toThrow(REFUSED)
    const both: VersionedSecrets = [...keys, { ...keys[0], version: 2 }]
    expect(() => open({ ...sealed, key_version: 2 }, owner, both)).toThrow(REFUSED)
    expect(() => open({ ...sealed, key_version: 2 }, owner, keys)).toThrow('version 2 of the key')
  })

  test('do not open when any one byte of ciphertext, tag or nonce was changed', () => {
    const { ciphertext, nonce } = sealed
    const changed: Sealed[] = [
      ...Array.from(ciphertext, (_, index) => ({
        ...sealed,
        ciphertext: flipped(ciphertext, index),
      })),
      ...Array.from(nonce, (_, index) => ({ ...sealed, nonce: flipped(nonce, index) })),
    ]
    expect(changed).toHaveLength(ciphertext.length + nonce.length)
    for (const one of changed) expect(() => open(one, owner, keys)).toThrow(REFUSED)
  })

  test('do not open when they were cut short', () => {
    for (const length of [0, 1, 15, 16, sealed.ciphertext.length - 1])
      expect(() =>
        open({ ...sealed, ciphertext: sealed.ciphertext.subarray(0, length) }, owner, keys),
      ).toThrow(/authenticat/)
  })
})
