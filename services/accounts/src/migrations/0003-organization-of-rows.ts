/** Every row says whose it is, so that it stands behind the wall of tenancy. */
export const ORGANIZATION_OF_ROWS_MIGRATION = {
  '0003-organization-of-rows': `
    alter table organizations add column organization_id text generated always as (id) stored;
    alter table key_hashes add column organization_id text;
    update key_hashes h set organization_id = k.organization_id from keys k where k.id = h.key_id;
    alter table key_hashes alter column organization_id set not null;
  `,
}
