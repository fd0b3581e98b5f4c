/** Which pepper a hash was made with, and when the key was last used, within a minute. */
export const KEY_PEPPERS_MIGRATION = {
  '0002-key-peppers': `
    alter table key_hashes add column pepper_version int not null default 1, add column last_used_at timestamptz;
    alter table key_hashes alter column pepper_version drop default;
  `,
}
