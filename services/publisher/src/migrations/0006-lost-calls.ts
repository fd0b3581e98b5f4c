/**
 * Since when an attempt may have been called although no call is noted: in time that a restore has lost. Null for one whose
 * past is known.
 */
export const LOST_CALLS_MIGRATION = {
  '0006-lost-calls': `
    alter table attempts add column may_be_live_since timestamptz;
  `,
}
