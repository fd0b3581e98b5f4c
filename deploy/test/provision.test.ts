import { fileURLToPath } from 'node:url'
import { CONSUMERS } from '@herald/contracts/consumers'
import { DEAD_LETTER_STREAM, EVENTS_STREAM } from '@herald/contracts/events'
import { runCommand } from '@herald/local/run-command'
import { readNatsUrl } from '@herald/service/nats-address'
import { testNats } from '@herald/testing/nats'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import { PRODUCTION, TEAMS } from './nats-users.ts'

const PROGRAM = fileURLToPath(new URL('../provision/main.ts', import.meta.url))

function provision(env: Record<string, string>) {
  return runCommand([process.execPath, PROGRAM], {
    env: { ...process.env, ...env },
    timeoutMs: 120_000,
  })
}

describe('the program that provisions NATS', () => {
  test('makes all streams and consumers as the user who may, and nothing when run again', async () => {
    await using nats = await testNats(PRODUCTION)
    const env = {
      NATS_URL: PRODUCTION.urlFor(nats.url, 'provision'),
      NATS_TEAMS: JSON.stringify(TEAMS),
    }
    expect(await provision(env)).toMatchObject({ code: 0 })
    const admin = await connect(readNatsUrl(PRODUCTION.urlFor(nats.url, 'admin')))
    const { streams, consumers } = await jetstreamManager(admin)
    const made = await consumers.list(EVENTS_STREAM).next()
    const durables = [...Object.values(CONSUMERS), ...TEAMS].map(({ durable }) => durable)
    expect(made.map(({ name }) => name).toSorted()).toEqual(durables.toSorted())
    expect((await streams.info(DEAD_LETTER_STREAM)).config.num_replicas).toBe(1)
    await admin.close()
    const again = await provision(env)
    expect(again).toMatchObject({ code: 0 })
    expect(again.output).not.toContain('is made')
  }, 120_000)

  test('fails without showing the password when it is a wrong one', async () => {
    await using nats = await testNats(PRODUCTION)
    const NATS_URL = nats.url.replace('nats://', 'nats://provision:hunter2@')
    const { code, output } = await provision({ NATS_URL })
    expect(code).toBe(1)
    expect(output).toContain('could not be brought up to date')
    expect(output).not.toContain('hunter2')
  }, 120_000)

  test.each([
    ['no address', { NATS_URL: '' }, 'NATS_URL'],
    ['two copies, which outlive nothing', { NATS_REPLICAS: '2' }, 'NATS_REPLICAS'],
    ['teams that are no list', { NATS_TEAMS: '{' }, 'teams'],
    ['a team that is a service', teamWith({ name: 'posts' }), 'is a user of Herald'],
    ['a consumer of a service', teamWith({ durable: 'publisher' }), 'is a consumer of Herald'],
    ['a team that reads more than events', teamWith({ filterSubject: '>' }), 'subject of events'],
  ])('refuses %s with exit code 2', async (_, env, says) => {
    const { code, output } = await provision({ NATS_URL: 'nats://127.0.0.1:1', ...env })
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(says) })
  })
})

function teamWith(changes: object): Record<string, string> {
  return { NATS_TEAMS: JSON.stringify([{ ...TEAMS[0], ...changes }]) }
}
