/**
 * What a database knows of its own past. `database_identity` says which database its rows were written in; when it is
 * another one, it was made from a backup. `restores` has a row for each time it went back: what happened after
 * `since` may be missing, and posts that were due up to `until` may have been published without a trace.
 *
 * `note_restore` is for operators, where nothing but they can tell; `forget_identity` for a database that was moved
 * and lost nothing.
 */
export const RESTORES_MIGRATION = {
  '0005-restores': `
    create table database_identity (
      is_here boolean primary key default true check (is_here),
      system text not null,
      database oid not null
    );

    create table restores (
      at timestamptz primary key default clock_timestamp(),
      since timestamptz not null,
      until timestamptz not null,
      evidence text not null unique,
      is_handled boolean not null default false
    );

    create function note_restore(until timestamptz default clock_timestamp(), since timestamptz default '-infinity')
    returns void language sql
      begin atomic
        insert into restores (since, until, evidence)
          values (since, until, 'an operator, at ' || clock_timestamp());
      end;

    create function forget_identity() returns void language sql
      begin atomic
        delete from database_identity;
      end;

    revoke execute on function note_restore, forget_identity from public;
  `,
}
