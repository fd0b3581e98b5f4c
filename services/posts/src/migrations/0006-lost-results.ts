/**
 * What the bus tells of posts and channels that were published in time which a restore has lost: that a call may have
 * been made, and where the post is live when that is known.
 */
export const LOST_RESULTS_MIGRATION = {
  '0006-lost-results': `
    create table lost_results (
      post_id text not null,
      channel_id text not null,
      organization_id text not null,
      live jsonb,
      primary key (post_id, channel_id)
    );
  `,
}
