/** What platforms allow accounts beyond the rules. Channels from before it have none, as their events say. */
export const CHANNEL_LIMITS_MIGRATION = {
  '0002-channel-limits': `
    alter table channels add column limits jsonb not null default '{}';
  `,
}
