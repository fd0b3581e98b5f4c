import pg from 'pg'

/** What the catalogue of a server says of the roles of Herald, as lists that a person can read. */
export type Privileges = {
  /** Each role: its attributes, what it is a member of, its limit of connections and its settings. */
  roles: Record<string, string[]>
  /** For each login the databases that it may connect to; with whatever else it may do there. */
  databases: Record<string, string[]>
  /** For each database and login what it may do: with the schema, tables, columns, sequences and functions. */
  objects: Record<string, Record<string, string[]>>
}

/** Reads the privileges that roles called `herald_…` really have, by whatever way they got them. */
export async function readPrivileges(
  serverUrl: string,
  databases: readonly string[],
): Promise<Privileges> {
  const objects: Privileges['objects'] = {}
  for (const name of databases)
    objects[name] = await ask(withDatabase(serverUrl, name), (client) => byRole(client, OBJECTS))
  return ask(serverUrl, async (client) => ({
    roles: await byRole(client, ROLES),
    databases: await byRole(client, DATABASES),
    objects,
  }))
}

type Found = { role: string; what: string }

async function byRole(client: pg.Client, statement: string): Promise<Record<string, string[]>> {
  const { rows } = await client.query<Found>(statement)
  const found = Map.groupBy(rows, ({ role }) => role)
  return Object.fromEntries([...found].map(([role, all]) => [role, all.map(({ what }) => what)]))
}

async function ask<Answer>(
  url: string,
  work: (client: pg.Client) => Promise<Answer>,
): Promise<Answer> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function withDatabase(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

const OURS = `rolname like 'herald\\_%'`

const ROLES = `
  select rolname as role, what from pg_roles r, lateral (
    select 1 as place, concat_ws(', ', case when rolcanlogin then 'login' else 'no login' end,
             case when rolsuper then 'SUPERUSER' end, case when rolcreaterole then 'CREATEROLE' end,
             case when rolcreatedb then 'CREATEDB' end, case when rolreplication then 'REPLICATION' end,
             case when rolbypassrls then 'BYPASSRLS' end, case when not rolinherit then 'noinherit' end) as what
    union all
    select 2, 'member of ' || g.rolname || case when m.inherit_option then '' else ', inherits nothing' end
              || case when m.admin_option then ', ADMIN' else '' end
    from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid
    union all
    select 3, 'connection limit ' || rolconnlimit where rolcanlogin
    union all
    select 4, unnest(setconfig) from pg_db_role_setting where setrole = r.oid and setdatabase = 0) facts
  where ${OURS} order by role, place, what`

const DATABASES = `
  select rolname as role, datname || ': ' || string_agg(may, ', ' order by may) as what
  from pg_roles r, pg_database d, unnest(array['CONNECT', 'CREATE', 'TEMPORARY']) as may
  where ${OURS} and rolcanlogin and datname like 'herald\\_%' and has_database_privilege(r.oid, d.oid, may)
  group by rolname, datname order by role, what`

/** Roles that may enter the database, and the two that they get their rights from. */
const THERE = `(select oid, rolname from pg_roles where ${OURS}
  and (not rolcanlogin or has_database_privilege(oid, current_database(), 'CONNECT'))) r`

/** `what` is an object, `may` one thing that the role may do with it. What everybody has by default is left out of functions. */
const OBJECTS = `
  select role, what || ': ' || string_agg(may, ', ' order by may) as what from (
    select rolname as role, 'schema public' as what, may
    from ${THERE}, unnest(array['CREATE', 'USAGE']) may where has_schema_privilege(r.oid, 'public', may)
    union all
    select rolname, 'table ' || c.relname, may
    from ${THERE}, pg_class c,
      unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN']) may
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
      and has_table_privilege(r.oid, c.oid, may)
    union all
    select rolname, 'column ' || c.relname || '.' || a.attname, may
    from ${THERE}, pg_class c join pg_attribute a on a.attrelid = c.oid and attnum > 0 and not attisdropped,
      unnest(array['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) may
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
      and has_column_privilege(r.oid, c.oid, attnum, may) and not has_table_privilege(r.oid, c.oid, may)
    union all
    select rolname, 'sequence ' || c.relname, may
    from ${THERE}, pg_class c, unnest(array['SELECT', 'USAGE', 'UPDATE']) may
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'S' and has_sequence_privilege(r.oid, c.oid, may)
    union all
    select rolname, 'function ' || p.oid::regprocedure || case when p.prosecdef then ' as its owner' else '' end, 'EXECUTE'
    from ${THERE}, pg_proc p
    where p.pronamespace = 'public'::regnamespace and has_function_privilege(r.oid, p.oid, 'EXECUTE')
      and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
    union all
    select rolname, 'owner of ' || c.relname, 'EVERYTHING'
    from ${THERE}, pg_class c where c.relowner = r.oid and c.relnamespace = 'public'::regnamespace) found
  group by role, found.what order by role, found.what`
