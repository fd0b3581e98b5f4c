import { randomBytes } from 'node:crypto'
import type { accounts } from '@herald/contracts/accounts'
import type { Handlers } from '@herald/contracts/rpc'
import { type Database, openDatabase } from '@herald/event-store/database'
import { createLogger } from '@herald/service/logger'
import { testDatabase } from '@herald/testing/database'
import type { Deps } from '../src/deps.ts'
import { accountsHandlers } from '../src/handlers.ts'
import { migrate } from '../src/migrate.ts'
import type { VersionedSecret, VersionedSecrets } from '@herald/service/versioned-secrets'
import { loadPlans } from '../src/plans.ts'

export type AccountsWorld = AsyncDisposable & {
  /** Sees the rows of all organizations, as no service does. */
  pool: Database<Record<string, never>>['pool']
  pepper: VersionedSecret
  handlers: Handlers<typeof accounts>
  /** The same service on the same database, with another clock or other peppers. */
  handlersWith: (other: {
    now?: () => number
    peppers?: VersionedSecrets
  }) => Handlers<typeof accounts>
}

/** The operations of the service on a database of their own. */
export async function accountsWorld(): Promise<AccountsWorld> {
  const created = await testDatabase('accounts', migrate)
  const database = openDatabase<Record<string, never>>({ url: created.url, name: 'test' })
  const owner = openDatabase({ url: created.ownerUrl, name: 'test-owner' })
  const deps: Deps & { peppers: readonly [VersionedSecret] } = {
    store: { pool: database.pool },
    plans: await loadPlans(undefined),
    peppers: [newPepper(1)],
    now: () => Date.now(),
    logger: createLogger({ service: 'accounts', level: 'silent' }),
  }
  return {
    pool: owner.pool,
    pepper: deps.peppers[0],
    handlers: accountsHandlers(deps),
    handlersWith: (other) => accountsHandlers({ ...deps, ...other }),
    async [Symbol.asyncDispose]() {
      await Promise.all([database.close(), owner.close()])
      await created[Symbol.asyncDispose]()
    },
  }
}

/** A pepper that nobody has seen. */
export function newPepper(version: number): VersionedSecret {
  return { version, secret: randomBytes(32) }
}

/** Every row of every table of the database as text. */
export async function everythingStored(pool: AccountsWorld['pool']): Promise<string> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`,
  )
  const texts = tables.map(async ({ name }) => {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t`)
    return rows.map(({ row }) => row)
  })
  return (await Promise.all(texts)).flat().join('\n')
}
