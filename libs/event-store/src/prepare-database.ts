import pg from 'pg'
import { SERVICE_ROLE } from './organization.ts'
import { isOwnLogin, prepareRole } from './service-role.ts'

/** One database: as those who migrate it reach it, and as its service does. */
export type DatabaseToPrepare = {
  ownerUrl: string
  serviceUrl: string
  /** Most connections of the service at a time, over all its processes; 60 unless given. */
  connections?: number
  migrate: (ownerUrl: string) => Promise<void>
}

const CONNECTIONS = 60

const CONNECT_WITHIN_MS = 10_000
const PASSWORD_ATTEMPTS = 10

/**
 * Makes a database if it is missing, brings it up to date, and sees that its service can log in. The user of `serviceUrl` is
 * made when it is called `herald_…`, may connect to this database only, and gets the password of the address. Run again,
 * it changes nothing; several may run side by side. Throws when the user would stand beyond the wall of tenancy.
 */
export async function prepareDatabase(database: DatabaseToPrepare): Promise<void> {
  await createIfMissing(database.ownerUrl)
  await database.migrate(database.ownerUrl)
  const { connections = CONNECTIONS } = database
  const name = new URL(database.serviceUrl).username
  // The role of all services may still be a login where it was before each had its own; nothing of it is changed.
  if (isOwnLogin(name) && name !== SERVICE_ROLE)
    await connected(database.ownerUrl, (client) => prepareRole(client, { name, connections }))
  await letServiceIn(database)
}

async function createIfMissing(ownerUrl: string): Promise<void> {
  const missing = await connected(ownerUrl, () => Promise.resolve(false)).catch(isMissing)
  if (!missing) return
  const name = decodeURIComponent(new URL(ownerUrl).pathname.slice(1))
  const elsewhere = Object.assign(new URL(ownerUrl), { pathname: '/postgres' }).href
  await connected(elsewhere, async (client) => {
    await client.query(`create database ${client.escapeIdentifier(name)}`).catch(unlessThere)
  })
}

function isMissing(error: unknown): boolean {
  if (codeOf(error) === '3D000') return true
  throw error
}

/** Another process may have made it in the meantime. */
function unlessThere(error: unknown): void {
  if (!['42P04', '23505'].includes(codeOf(error))) throw error
}

async function letServiceIn({ ownerUrl, serviceUrl }: DatabaseToPrepare): Promise<void> {
  const { username, password } = new URL(serviceUrl)
  for (let attempt = 1; ; attempt++) {
    try {
      return await connected(serviceUrl, checkWall)
    } catch (error) {
      const isRefused = ['28P01', '28000'].includes(codeOf(error))
      if (!isRefused || !isOwnLogin(username) || attempt === PASSWORD_ATTEMPTS) throw error
    }
    await connected(ownerUrl, async (client) => {
      const literal = client.escapeLiteral(decodeURIComponent(password))
      const role = client.escapeIdentifier(username)
      await client.query(`alter role ${role} login password ${literal}`).catch(unlessAtOnce)
    })
  }
}

/** The role belongs to the whole server, and others may be giving it the same password right now. */
function unlessAtOnce(error: unknown): void {
  if (codeOf(error) !== 'XX000') throw error
}

async function checkWall(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; isBehind: boolean }>(
    `select rolname as name, not (rolsuper or rolbypassrls)
       and pg_has_role(oid, '${SERVICE_ROLE}', 'member') as "isBehind"
     from pg_roles where rolname = current_user`,
  )
  const [role] = rows
  if (!role?.isBehind)
    throw new Error(
      `The service would connect as ${role?.name}, which must be ${SERVICE_ROLE} or a member of it, no superuser, and without BYPASSRLS.`,
    )
}

async function connected<Answer>(
  url: string,
  work: (client: pg.Client) => Promise<Answer>,
): Promise<Answer> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
  })
  // A connection that breaks while nothing is asked fails the next query, and must not end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
