/** Organizations and keys (folds of their events), and the hashes that keys are found by. */
export const ACCOUNTS_MIGRATIONS = {
  '0001-accounts': `
    create table organizations (
      id text primary key,
      version int not null,
      name text not null,
      plan text not null,
      created_at timestamptz not null
    );

    create table keys (
      id text primary key,
      version int not null,
      organization_id text not null,
      name text not null,
      prefix text not null,
      scopes jsonb not null,
      channels jsonb not null,
      expires_at timestamptz,
      created_at timestamptz not null,
      revoked_at timestamptz
    );
    create index keys_of_organization on keys (organization_id, created_at desc);

    -- HMAC-SHA-256 under a pepper that is not in the database. No event carries it: events are for ever.
    create table key_hashes (
      hash text primary key,
      key_id text not null unique
    );
  `,
}
