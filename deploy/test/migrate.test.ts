import { fileURLToPath } from 'node:url'
import { openDatabase } from '@herald/event-store/database'
import { runCommand } from '@herald/local/run-command'
import { testDatabase } from '@herald/testing/database'
import { describe, expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../migrate/main.ts', import.meta.url))

describe('the program of the migration Jobs', () => {
  test.each(['accounts', 'quota', 'channels', 'media', 'posts', 'publisher'])(
    'brings the database of %s up to date, and does nothing when run again',
    async (owner) => {
      await using database = await testDatabase('empty', () => Promise.resolve())
      expect(await migrate(owner, database)).toMatchObject({ code: 0 })
      const first = await migrationsOf(database.ownerUrl)
      expect(first.length).toBeGreaterThan(0)
      expect(await migrate(owner, database)).toMatchObject({ code: 0 })
      expect(await migrationsOf(database.ownerUrl)).toEqual(first)
    },
  )

  test('fails without showing the password when the database cannot be reached', async () => {
    const url = 'postgres://herald:hunter2@127.0.0.1:1/posts'
    const { code, output } = await migrate('posts', { ownerUrl: url, url })
    expect(code).toBe(1)
    expect(output).toContain('could not be brought up to date')
    expect(output).not.toContain('hunter2')
  })

  test.each([
    ['a service without a database', 'gateway', 'postgres://127.0.0.1:1/posts'],
    ['a path', '../posts', 'postgres://127.0.0.1:1/posts'],
    ['no database', 'posts', ''],
  ])('refuses %s with exit code 2', async (_, owner, url) => {
    expect(await migrate(owner, { ownerUrl: url, url })).toMatchObject({ code: 2 })
  })

  test('fails when the service would connect as somebody who is beyond the wall of tenancy', async () => {
    await using database = await testDatabase('empty', () => Promise.resolve())
    const { ownerUrl } = database
    expect(await migrate('posts', { ownerUrl, url: ownerUrl })).toMatchObject({
      code: 1,
      output: expect.stringContaining('must be herald_service or a member of it'),
    })
  })
})

function migrate(owner: string, { ownerUrl, url }: { ownerUrl: string; url: string }) {
  return runCommand([process.execPath, PROGRAM, owner], {
    env: { ...process.env, OWNER_DATABASE_URL: ownerUrl, DATABASE_URL: url },
  })
}

async function migrationsOf(url: string): Promise<unknown[]> {
  const database = openDatabase({ url, name: 'test' })
  try {
    return (await database.pool.query('select name, at from migrations order by name')).rows
  } finally {
    await database.close()
  }
}
