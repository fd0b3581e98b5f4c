import { loadConfig, serviceEnv } from '@herald/service/config'
import { expect, test } from 'vitest'
import { z } from 'zod'

const Env = z.object({ ...serviceEnv, DATABASE_URL: z.url(), LIMIT: z.coerce.number().int() })
const SECRET = 'a secret that is certainly long enough'
const GOOD = {
  NATS_URL: 'nats://127.0.0.1:4222',
  RPC_SECRET: SECRET,
  DATABASE_URL: 'postgres://user:hunter2@db/posts',
  LIMIT: '5',
}

test('one error names every variable that is missing or wrong', () => {
  const load = () =>
    loadConfig(Env, { ...GOOD, NATS_URL: undefined, INTERNAL_PORT: '70000', LIMIT: 'many' })
  expect(load).toThrow(/NATS_URL: [^]*INTERNAL_PORT: [^]*LIMIT: /)
  expect(load).not.toThrow(/DATABASE_URL|RPC_SECRET|LOG_LEVEL/)
})

test('the error shows no value', () => {
  const values = {
    NATS_URL: '',
    LOG_LEVEL: 'canary-1',
    INTERNAL_PORT: 'canary-2',
    RPC_SECRET: 'canary-3',
    RPC_DIRECT: 'canary-4',
    DATABASE_URL: 'canary-5',
    LIMIT: 'canary-6',
  }
  const load = () => loadConfig(Env, values)
  for (const name of Object.keys(values)) expect(load).toThrow(name)
  expect(load).not.toThrow('canary')
})

test('what is optional has a default, and direct addresses become a map', () => {
  expect(loadConfig(Env, GOOD)).toMatchObject({
    LOG_LEVEL: 'info',
    INTERNAL_HOST: '127.0.0.1',
    INTERNAL_PORT: 0,
    RPC_DIRECT: new Map(),
    LIMIT: 5,
  })
  const direct = 'posts=http://127.0.0.1:4001,channels=http://10.0.0.2:80/a=b'
  expect(loadConfig(Env, { ...GOOD, RPC_DIRECT: direct }).RPC_DIRECT).toEqual(
    new Map([
      ['posts', 'http://127.0.0.1:4001'],
      ['channels', 'http://10.0.0.2:80/a=b'],
    ]),
  )
})
