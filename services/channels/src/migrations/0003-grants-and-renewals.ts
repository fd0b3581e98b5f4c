/** Grants that people are giving in a browser, and when the secrets of channels want to be renewed. */
export const GRANTS_MIGRATION = {
  '0003-grants-and-renewals': `
    -- One row for each browser that is under way: to the platform and back, or before a choice of accounts.
    create table grants_under_way (
      token_hash bytea primary key,
      step text not null,
      organization_id text not null,
      platform text not null,
      base_url text not null,
      key_version int not null,
      nonce bytea not null,
      ciphertext bytea not null,
      expires_at timestamptz not null
    );
    create index grants_under_way_by_end on grants_under_way (expires_at);

    alter table credentials
      -- Channels that were connected by one grant have the same.
      add column grant_id text,
      add column expires_at timestamptz,
      -- When the token is to be renewed, and what has failed since the last time. Null: it needs no renewal.
      add column renew_at timestamptz,
      add column renew_attempts int not null default 0,
      -- When the platform is to be asked for the account's limits. Null: it has none to tell.
      add column limits_at timestamptz,
      add column limits_attempts int not null default 0;
    create index credentials_to_renew on credentials (renew_at);
    create index credentials_to_ask_limits on credentials (limits_at);
    update credentials set limits_at = clock_timestamp();
  `,
}
