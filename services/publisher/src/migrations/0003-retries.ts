/**
 * The first attempt of the same post and channel, by whose key the platform knows the post; null for that one itself.
 */
export const RETRIES_MIGRATION = {
  '0003-retries': `
    alter table attempts add column first_generation int;
    alter table attempts add column first_created_at timestamptz;
  `,
}
