import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readNatsUrl } from '@herald/service/nats-address'
import { eventually } from '@herald/testing/eventually'
import { testNats, type TestNats } from '@herald/testing/nats'
import { AuthorizationError, connect } from '@nats-io/transport-node'
import { expect, test } from 'vitest'
import { PRODUCTION, settingsWith } from './nats-users.ts'

/** As an operator does: writes other settings and tells the server to read them. */
function reload(nats: TestNats, before: string, after: string): void {
  const file = join(nats.dataDir, 'nats.conf')
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(before, () => after),
  )
  process.kill(Number(readFileSync(join(nats.dataDir, 'nats.pid'), 'utf8')), 'SIGHUP')
}

test('a password is changed by way of a second user, and no connection of the first is cut before', async () => {
  await using nats = await testNats(PRODUCTION)
  const login = (user: string) =>
    connect({ ...readNatsUrl(PRODUCTION.urlFor(nats.url, user)), reconnect: false })
  const old = await login('posts')
  await expect(login('posts-2')).rejects.toThrow(AuthorizationError)

  const both = settingsWith(['posts'])
  reload(nats, settingsWith(), both)
  await eventually(async () => (await login('posts-2')).close(), { timeoutMs: 30_000 })
  await old.flush()
  expect(old.isClosed()).toBe(false)

  reload(nats, both, settingsWith(['posts'], { posts: 'another' }))
  await old.closed()
  await expect(login('posts')).rejects.toThrow(AuthorizationError)
}, 120_000)

test('a second user has the rights of the first and its inbox', () => {
  const lines = settingsWith(['posts']).split('\n')
  const rightsOf = (user: string) => {
    const from = lines.findIndex((line) => line.includes(`user: ${user},`))
    return lines.slice(from + 1, lines.indexOf('      } }', from))
  }
  expect(rightsOf('posts')).toContain('          "_INBOX_posts.>"')
  expect(rightsOf('posts-2')).toEqual(rightsOf('posts'))
})
