import type pg from 'pg'
import { SERVICE_ROLE } from './organization.ts'

/** Logins that Herald makes and keeps: `herald_posts` for the posts service. Others belong to administrators. */
const OWN_LOGIN = /^herald_(?!across$)[a-z]+$/

/**
 * What holds for a login beneath the tighter limits of the services' own pools, in the words of `alter role`. A session
 * may change them; they are for what forgot to.
 */
const SETTINGS = {
  statement_timeout: '30s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '1min',
}

/** Whether a login is one that Herald makes and gives its password to. */
export function isOwnLogin(name: string): boolean {
  return OWN_LOGIN.test(name)
}

/**
 * Sees that the login of a service is there, is a member of `herald_service` and no more, has at most so many connections,
 * and that nobody but it and the owner may connect to this database. Run again, it changes nothing.
 */
export async function prepareRole(
  client: pg.Client,
  role: { name: string; connections: number },
): Promise<void> {
  const name = client.escapeIdentifier(role.name)
  await client.query(`do $$ begin
    if to_regrole(${client.escapeLiteral(role.name)}) is null then
      create role ${name} login in role ${SERVICE_ROLE};
    end if;
    exception when duplicate_object or unique_violation then null;
  end $$`)
  await client.query(await confinement(client, name))
  const { rows } = await client.query<{ limit: number; settings: string[] | null }>(
    `select rolconnlimit as "limit", setconfig as settings
     from pg_roles r left join pg_db_role_setting s on s.setrole = r.oid and s.setdatabase = 0 where rolname = $1`,
    [role.name],
  )
  if (rows[0]?.limit !== role.connections)
    await client.query(`alter role ${name} connection limit ${Math.trunc(role.connections)}`)
  for (const [setting, value] of Object.entries(SETTINGS))
    if (!rows[0]?.settings?.includes(`${setting}=${value}`))
      await client.query(`alter role ${name} set ${setting} = '${value}'`)
}

/** Nobody else connects to the database, and nobody makes temporary tables in it. */
async function confinement(client: pg.Client, name: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select current_database() as name')
  const database = client.escapeIdentifier(rows[0]?.name ?? '')
  return `revoke all on database ${database} from public; grant connect on database ${database} to ${name}`
}
