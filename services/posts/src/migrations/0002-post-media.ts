/** The files of a post, as its events have them. */
export const POST_MEDIA_MIGRATION = {
  '0002-post-media': `
    alter table posts add column media jsonb not null default '[]';
  `,
}
