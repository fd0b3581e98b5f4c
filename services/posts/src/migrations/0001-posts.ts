/** The read model of posts (three folds of the events) and the memory of the duplicate rule. */
export const POSTS_MIGRATIONS = {
  '0001-posts': `
    create table posts (
      id text primary key,
      organization_id text not null,
      version int not null,
      status text not null,
      content text not null,
      options jsonb not null,
      scheduled_at timestamptz not null,
      published_at timestamptz,
      created_at timestamptz not null,
      source text not null
    ) with (fillfactor = 80);
    create index posts_newest on posts (organization_id, created_at desc, id desc);
    create index posts_publishing on posts (scheduled_at) where status = 'publishing';

    create table post_channels (
      post_id text not null,
      channel_id text not null,
      position int not null,
      platform text not null,
      status text not null,
      content text not null,
      platform_post_id text,
      url text,
      published_at timestamptz,
      error text,
      error_code text,
      retryable boolean,
      attempts int not null,
      next_attempt_at timestamptz,
      lateness_ms int,
      primary key (post_id, channel_id)
    ) with (fillfactor = 80);
    create index post_channels_of_channel on post_channels (channel_id, post_id);

    create table due (
      post_id text primary key,
      organization_id text not null,
      version int not null,
      publish_at timestamptz not null,
      channels jsonb not null
    );
    create index due_next on due (publish_at);

    -- What was created in the last five minutes, by what it says and where it goes.
    create table recent_posts (
      organization_id text not null,
      fingerprint text not null,
      post_id text not null,
      at timestamptz not null default clock_timestamp(),
      primary key (organization_id, fingerprint)
    );
    create index recent_posts_of_post on recent_posts (post_id);

    -- An instant as events write it: ISO 8601 in UTC with milliseconds.
    create function iso(at timestamptz) returns text language sql stable
      return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  `,
}
