import { openDatabase } from '@herald/event-store/database'
import { EVENT_STORE_MIGRATIONS } from '@herald/event-store/migrations'
import { runMigrations } from '@herald/event-store/migrate'
import { testDatabase } from '@herald/testing/database'
import { expect, test } from 'vitest'
import { migrate } from '../src/migrate.ts'
import { ACCOUNTS_MIGRATIONS } from '../src/migrations/0001-accounts.ts'
import { KEY_PEPPERS_MIGRATION } from '../src/migrations/0002-key-peppers.ts'
import { findLiveKey } from '../src/queries.ts'
import { accountsWorld } from './accounts-world.ts'

test('keys that were there before get their organization, and go on to be found', async () => {
  await using world = await accountsWorld()
  const { id: organizationId } = await world.handlers.createOrganization({ name: 'A', plan: 'PRO' })
  const scopes: ['read'] = ['read']
  const key = { organizationId, name: 'A', scopes, channels: 'all' as const, expiresAt: null }
  const { id } = await world.handlers.createKey(key)
  await using old = await testDatabase('accounts_before_organizations', (url) =>
    runMigrations(url, EVENT_STORE_MIGRATIONS, ACCOUNTS_MIGRATIONS, KEY_PEPPERS_MIGRATION),
  )
  const owner = openDatabase({ url: old.ownerUrl, name: 'test' })
  const service = openDatabase({ url: old.url, name: 'test' })
  for (const table of ['organizations', 'keys', 'key_hashes']) {
    const { rows } = await world.pool.query<{ rows: unknown }>(
      `select jsonb_agg(t) as rows from ${table} t`,
    )
    await owner.pool.query(
      `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
      [JSON.stringify(rows[0]?.rows)],
    )
  }
  await migrate(old.ownerUrl)
  const { rows } = await owner.pool.query<{ hash: string; organization_id: string }>(
    'select hash, organization_id from key_hashes',
  )
  expect(rows).toMatchObject([{ organization_id: organizationId }])
  const found = await findLiveKey(
    service.pool,
    rows.map(({ hash }) => ({ version: 1, hash })),
  )
  expect(found).toMatchObject({ id, organization_id: organizationId })
  await Promise.all([owner.close(), service.close()])
})
