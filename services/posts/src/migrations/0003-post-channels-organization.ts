/** The channels of a post say whose they are, so that they stand behind the wall of tenancy like the post. */
export const POST_CHANNELS_ORGANIZATION_MIGRATION = {
  '0003-post-channels-organization': `
    alter table post_channels add column organization_id text;
    update post_channels c set organization_id = p.organization_id from posts p where p.id = c.post_id;
    alter table post_channels alter column organization_id set not null;
  `,
}
