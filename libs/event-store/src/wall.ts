import type pg from 'pg'

/**
 * Raises the wall around the tables of a database, or does nothing where it stands. A table is told by its column
 * `organization_id`: it shows a row to a service when `herald.organization` names its organization, and all rows to
 * `herald_across`. `force` puts the owner behind it, too. A service connects as `herald_service` or a member of it: that
 * role owns nothing and makes no tables, and it may enter `herald_across` but inherits nothing from it.
 */
export async function raiseWall(client: pg.Client): Promise<void> {
  await client.query(ROLES)
  await client.query(TABLES)
}

/**
 * Roles belong to the whole server: databases may be migrated side by side, and an administrator may have made the roles
 * before, where whoever migrates must not.
 */
const ROLES = [
  `if to_regrole('herald_service') is null then create role herald_service; end if;`,
  `if to_regrole('herald_across') is null then create role herald_across; end if;`,
  `if not pg_has_role('herald_service', 'herald_across', 'member') then
     grant herald_across to herald_service with inherit false, set true;
   end if;`,
  // Migrations change rows of all organizations.
  `if not pg_has_role(current_user, 'herald_across', 'usage') then
     grant herald_across to current_user with inherit true;
   end if;`,
]
  .map(
    (statement) => `do $$ begin ${statement}
      exception when duplicate_object or unique_violation then null;
    end $$;`,
  )
  .join('\n')

/** What a service may do with a table as itself, where that is not everything. Events are never changed by anybody. */
const TABLES = `do $$
  declare
    found record;
    service text;
    across text;
  begin
    for found in
      select c.oid, c.relname as name, c.relforcerowsecurity as is_walled,
             exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id') as has_organization
      from pg_class c
      where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and c.relname <> 'migrations'
    loop
      across := case found.name when 'events' then 'select, insert' else 'select, insert, update, delete' end;
      service := case found.name when 'outbox' then 'insert' when 'relay_mark' then null else across end;
      if not has_table_privilege('herald_across', found.oid, 'select') then
        execute format('grant %s on %I to herald_across', across, found.name);
        if service is not null then
          execute format('grant %s on %I to herald_service', service, found.name);
        end if;
      end if;
      if found.has_organization and not found.is_walled then
        execute format(
          'create policy own_organization on %I using (organization_id = current_setting(''herald.organization''))',
          found.name);
        execute format('create policy across_organizations on %I to herald_across using (true)', found.name);
        execute format('alter table %I enable row level security, force row level security', found.name);
      end if;
    end loop;
  end $$`
