/**
 * The keys by which requests are known when they come again. A row is a claim while its `answer` is null. `held_until`
 * is when the key is free again: the end of the claim's lease, or of the answer's 24 hours. The answer is `json` and not
 * `jsonb`, so that it is given again byte for byte.
 */
export const IDEMPOTENCY_MIGRATION = {
  '0000-idempotency': `
    create table idempotency_keys (
      organization_id text not null,
      actor text not null,
      key text not null,
      fingerprint text not null,
      token text not null,
      held_until timestamptz not null,
      answer json,
      primary key (organization_id, actor, key)
    ) with (fillfactor = 50);
    create index idempotency_keys_held_until on idempotency_keys (held_until);
  `,
}
