/** Channels (folds of their events) and their encrypted credentials, which are in no event. */
export const CHANNELS_MIGRATIONS = {
  '0001-channels': `
    create table channels (
      id text primary key,
      version int not null,
      organization_id text not null,
      platform text not null,
      base_url text not null,
      account text not null,
      username text not null,
      name text not null,
      avatar_url text,
      status text not null,
      rules jsonb not null,
      created_at timestamptz not null
    );
    create index channels_of_organization on channels (organization_id, created_at);

    -- An account of a platform is one channel of an organization, however often it is connected.
    create table accounts (
      organization_id text not null,
      platform text not null,
      base_url text not null,
      account text not null,
      channel_id text not null,
      primary key (organization_id, platform, base_url, account)
    );

    create table credentials (
      channel_id text primary key,
      organization_id text not null,
      key_version int not null,
      nonce bytea not null,
      ciphertext bytea not null,
      updated_at timestamptz not null default clock_timestamp()
    );
  `,
}
