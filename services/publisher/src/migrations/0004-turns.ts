/**
 * Attempts in the order of their turns: for each platform by organization and account, so that the next one of each can
 * be found without reading all of any. `held_by` is what an attempt waits for when it waits for more than itself.
 */
export const TURNS_MIGRATION = {
  '0004-turns': `
    create index attempts_turns on attempts (state, platform, organization_id, channel_id, next_attempt_at)
      where state in ('claimed', 'unknown');
    drop index attempts_to_do;
    alter table attempts add column held_by text;
    create index attempts_held on attempts (held_by) where held_by is not null;
  `,
}
