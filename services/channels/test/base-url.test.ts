import { describe, expect, test } from 'vitest'
import { platformAddress } from '../src/base-url.ts'

describe('the address of a platform', () => {
  test.each([
    ['https://Social.Example/', 'https://social.example'],
    ['https://social.example:443//?a=1#b', 'https://social.example'],
    ['https://social.example:8443/path/', 'https://social.example:8443/path'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ])('has one spelling: %s', (written, address) => {
    expect(platformAddress(written, false)).toBe(address)
  })

  test.each([
    'http://social.example',
    'https://localhost',
    'https://LOCALHOST./',
    'https://api.localhost',
    'https://metadata.google.internal',
    'https://printer.local',
    'https://intranet',
    'https://127.0.0.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://10.1.2.3',
    'https://172.16.0.1',
    'https://192.168.1.1',
    'https://169.254.169.254',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://[fd00::1]',
    'https://0.0.0.0',
  ])('that is not https at a public host name is refused: %s', (address) => {
    expect(() => platformAddress(address, false)).toThrowError(
      expect.objectContaining({ code: 'validation_failed', status: 422 }),
    )
  })

  test('may be private and http only where that is allowed', () => {
    expect(platformAddress('http://127.0.0.1:4000/', true)).toBe('http://127.0.0.1:4000')
    expect(platformAddress('http://localhost/sandbox/', true)).toBe('http://localhost/sandbox')
  })

  test('with a user name or password is refused everywhere', () => {
    expect(() => platformAddress('https://me:pass@social.example', false)).toThrow(
      'must not carry a user name',
    )
    expect(() => platformAddress('http://me@127.0.0.1', true)).toThrow('must not carry a user name')
  })
})
