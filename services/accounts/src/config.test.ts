import { randomBytes } from 'node:crypto'
import { loadConfig } from '@herald/service/config'
import { describe, expect, test } from 'vitest'
import { AccountsEnv } from './config.ts'

const [one, two] = [randomBytes(32), randomBytes(32)]
const [first, second] = [one.toString('base64'), two.toString('base64')]

const load = (peppers: Record<string, string>) =>
  loadConfig(AccountsEnv, {
    DATABASE_URL: 'postgres://127.0.0.1/none',
    NATS_URL: 'nats://127.0.0.1:1',
    RPC_SECRET: 'r'.repeat(32),
    ...peppers,
  })

describe('the peppers of the environment', () => {
  test.each([
    ['one alone is version 1', { API_KEY_PEPPER: first }, [[1, one]]],
    [
      'a list keeps its order',
      { API_KEY_PEPPERS: `2:${second},1:${first}` },
      [
        [2, two],
        [1, one],
      ],
    ],
    [
      'one beside a list comes after it',
      { API_KEY_PEPPERS: `2:${second}`, API_KEY_PEPPER: first },
      [
        [2, two],
        [1, one],
      ],
    ],
  ])('%s', (_name, env, expected) => {
    const { peppers } = load(env)
    expect(peppers.map(({ version, secret }) => [version, secret])).toEqual(expected)
  })

  test.each([
    ['none at all', {}, 'API_KEY_PEPPERS: is needed'],
    ['an empty list', { API_KEY_PEPPERS: '' }, 'API_KEY_PEPPERS: is needed'],
    ['no version', { API_KEY_PEPPERS: first }, 'must be a list'],
    ['version 0', { API_KEY_PEPPERS: `0:${first}` }, 'must be a list'],
    ['no number', { API_KEY_PEPPERS: `a:${first}` }, 'must be a list'],
    ['no secret', { API_KEY_PEPPERS: '1:' }, 'must be 32 bytes in base64'],
    ['a short secret', { API_KEY_PEPPERS: `2:${second},1:c2hvcnQ=` }, 'must be 32 bytes in base64'],
    ['a short one alone', { API_KEY_PEPPER: 'c2hvcnQ=' }, 'API_KEY_PEPPER: must be 32 bytes'],
    ['a version twice', { API_KEY_PEPPERS: `1:${second},1:${first}` }, 'gives a version twice'],
    [
      'version 1 in both',
      { API_KEY_PEPPERS: `1:${second}`, API_KEY_PEPPER: first },
      'gives a version twice',
    ],
  ])('%s is refused, and no value is shown', (_name, env: Record<string, string>, message) => {
    expect(() => load(env)).toThrow(message)
    for (const value of [first, second, 'c2hvcnQ='])
      expect(() => load(env)).not.toThrow(
        expect.objectContaining({ message: expect.stringContaining(value) }),
      )
  })
})
