import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import './global-setup.ts'

/** A database of one test; disposing removes it, connections or not. */
export type TestDatabase = AsyncDisposable & {
  /** For the service: its role sees what the wall of tenancy lets it see. */
  url: string
  /** For the test itself: the superuser, who sees everything. */
  ownerUrl: string
}

/**
 * Makes an empty but migrated database for one test. `migrate` runs once per test run and `name`, on a template that
 * is then copied for each caller, so a name must always stand for the same migrations.
 */
export async function testDatabase(
  name: string,
  migrate: (url: string) => Promise<void>,
): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const template = `template_${name.replaceAll(/\W/g, '_')}`
  const copy = `${template.replace('template', 'test')}_${randomBytes(6).toString('hex')}`
  await asAdmin(server, async (admin) => {
    await makeTemplate(admin, server, template, migrate)
    // Copying the files beats writing them through the log as long as nothing is synced to disk.
    await admin.query(`create database ${copy} template ${template} strategy file_copy`)
  })
  return {
    url: urlOf(server, copy, 'herald_service'),
    ownerUrl: urlOf(server, copy),
    [Symbol.asyncDispose]: () =>
      asAdmin(server, async (admin) => {
        await admin.query(`drop database if exists ${copy} with (force)`)
      }),
  }
}

async function makeTemplate(
  admin: pg.Client,
  server: string,
  template: string,
  migrate: (url: string) => Promise<void>,
): Promise<void> {
  const exists = async () => {
    const found = await admin.query('select from pg_database where datname = $1', [template])
    return found.rowCount === 1
  }
  if (await exists()) return
  // Test files run in processes of their own: one migrates, the others wait here and then find it done.
  await admin.query('select pg_advisory_lock(hashtext($1))', [template])
  try {
    if (await exists()) return
    // The final name is given last, so a template is complete, also when a run of the migrations failed before.
    const draft = `${template}_draft`
    await admin.query(`drop database if exists ${draft} with (force)`)
    await admin.query(`create database ${draft}`)
    await migrate(urlOf(server, draft))
    // All tests share a server, and what is the same for all logins of services is tested with one.
    await admin.query('alter role herald_service login').catch(unlessMissingOrAtOnce)
    await admin.query(`alter database ${draft} with allow_connections false`)
    await admin.query(
      'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1',
      [draft],
    )
    await admin.query(`alter database ${draft} rename to ${template}`)
  } finally {
    await admin.query('select pg_advisory_unlock(hashtext($1))', [template])
  }
}

/** Databases without the wall have no such role, and other tests may be changing it right now. */
function unlessMissingOrAtOnce(error: unknown): void {
  const code = error instanceof pg.DatabaseError ? error.code : undefined
  if (code !== '42704' && code !== 'XX000') throw error
}

async function asAdmin(server: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  try {
    await work(admin)
  } finally {
    await admin.end()
  }
}

function urlOf(server: string, database: string, user?: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  if (user !== undefined) url.username = user
  return url.href
}
