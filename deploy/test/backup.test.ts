import { readFileSync } from 'node:fs'
import { openDatabase } from '@herald/event-store/database'
import { migrateOwn } from '@herald/local/services'
import { testDatabase } from '@herald/testing/database'
import { expect, test } from 'vitest'

const PAGE = readFileSync(new URL('../backup.md', import.meta.url), 'utf8')
const COMMAND = /psql "\$OWNER_URL\/(\w+)" -c "([^"]+)"/g

const commands = [...PAGE.matchAll(COMMAND)].map(([, owner = '', statement = '']) => ({
  owner,
  statement,
}))

test('the page about restores has its commands', () => {
  expect(commands.map(({ owner }) => owner)).toEqual(['posts', 'publisher', 'posts', 'channels'])
})

test.each([...commands, { owner: 'posts', statement: 'select forget_identity()' }])(
  'a command of the page about restores works: $statement on $owner',
  async ({ owner, statement }) => {
    await expect(onDatabase(owner, [statement])).resolves.toBeDefined()
    expect(PAGE).toContain(statement)
  },
)

test.each(['posts', 'publisher'])(
  'what an operator notes of a restore of %s stands there',
  async (owner) => {
    const noted = commands.find((command) => command.owner === owner)
    const [row] = await onDatabase(owner, [
      noted?.statement ?? '',
      'select until, evidence, is_handled from restores',
    ])
    expect(row).toMatchObject({
      until: '2026-01-31T12:00:00.000Z',
      evidence: expect.stringContaining('an operator'),
      is_handled: false,
    })
  },
)

async function onDatabase(owner: string, statements: string[]): Promise<unknown[]> {
  const name = owner as Parameters<typeof migrateOwn>[0]
  await using copy = await testDatabase(owner, (url) => migrateOwn(name, url))
  const { pool, close } = openDatabase({ url: copy.ownerUrl, name: 'test', connections: 1 })
  try {
    let rows: unknown[] = []
    for (const statement of statements) rows = (await pool.query(statement)).rows
    return rows
  } finally {
    await close()
  }
}
