import { acrossOrganizations } from './organization.ts'
import type { Pool } from './database.ts'

/** Up to when posts may have been published without a trace: what an operator has just noted of this restore, or now. */
export const UNTIL = `coalesce((select max(until) from restores where not is_handled), clock_timestamp())`

/**
 * Notes a restore when the database is another one than when it was last asked, as it is after `pg_restore` or in another
 * cluster. A copy of the server's files looks the same from inside: that is found by others, or told by an operator
 * (`note_restore`). Answers whether one was noted.
 */
export async function noteMove(pool: Pool): Promise<boolean> {
  const { rowCount } = await acrossOrganizations(pool).query(
    `with here as materialized (
       select system_identifier::text as system, d.oid as database
       from pg_control_system(), pg_database d where d.datname = current_database()),
     first as (
       insert into database_identity (system, database) select system, database from here
       on conflict do nothing),
     moved as (
       update database_identity known set system = here.system, database = here.database from here
       where (known.system, known.database) is distinct from (here.system, here.database)
       returning known.system, known.database)
     insert into restores (since, until, evidence)
     select '-infinity', ${UNTIL}, 'it is now database ' || database || ' of system ' || system || ', since '
       || clock_timestamp() from moved`,
  )
  return (rowCount ?? 0) > 0
}
