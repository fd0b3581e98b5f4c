import { newId } from '@herald/contracts/ids'
import { UNLIMITED } from '@herald/contracts/quota'
import { openDatabase } from '@herald/event-store/database'
import { runMigrations } from '@herald/event-store/migrate'
import { testDatabase } from '@herald/testing/database'
import { expect, test } from 'vitest'
import { admit } from '../src/admit.ts'
import { migrate } from '../src/migrate.ts'
import { QUOTA_MIGRATIONS } from '../src/migrations/0001-quota.ts'
import { keyOf } from './world.ts'

test('when keys get their organization, months go on and minutes begin anew', async () => {
  await using old = await testDatabase('quota_before_organizations', (url) =>
    runMigrations(url, QUOTA_MIGRATIONS),
  )
  const owner = openDatabase({ url: old.ownerUrl, name: 'test' })
  const service = openDatabase({ url: old.url, name: 'test' })
  const key = keyOf(newId('organization'))
  await owner.pool.query('select admit($1, $2, 60, 60, 1000)', [key.keyId, key.organizationId])
  await migrate(old.ownerUrl)
  const limits = { requestsPerMinute: 60, requestsPerMonth: UNLIMITED, postsPerMonth: UNLIMITED }
  const [answer] = await admit(service.pool, [{ ...key, count: 1, limits }])
  expect(answer).toMatchObject({ granted: 1, minute: { remaining: 59 }, month: { used: 61 } })
  await Promise.all([owner.close(), service.close()])
})
