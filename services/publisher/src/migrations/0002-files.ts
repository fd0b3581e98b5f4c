/** The files of a post, and whether its steps before the call are all done. */
export const FILES_MIGRATION = {
  '0002-files': `
    alter table attempts add column media_ids jsonb not null default '[]';
    alter table attempts add column is_prepared boolean not null default false;
    update attempts set is_prepared = true where step is not null;
  `,
}
