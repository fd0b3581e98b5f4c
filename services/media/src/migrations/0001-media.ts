/** The read model of the library and what keeps storage, database and posts in step. */
export const MEDIA_MIGRATIONS = {
  '0001-media': `
    create extension if not exists pg_trgm;
    create extension if not exists btree_gin;

    create table media (
      id text primary key,
      organization_id text not null,
      version int not null,
      status text not null,
      type text not null,
      mime_type text not null,
      file_name text not null,
      alt_text text,
      description text,
      size_bytes bigint not null,
      width int,
      height int,
      duration_seconds int,
      pages int,
      is_animated boolean not null,
      sha256 text,
      object_key text,
      thumbnail_key text,
      staging_key text,
      created_at timestamptz not null,
      expires_at timestamptz,
      -- The file name, alt text and description in lower case, a line each.
      search text not null
    ) with (fillfactor = 80);
    create index media_newest on media (organization_id, created_at desc, id desc) where status = 'ready';
    create index media_search on media using gin (organization_id, search gin_trgm_ops) where status = 'ready';
    create index media_pending on media (expires_at) where status = 'pending';
    create unique index media_object on media (object_key);
    create unique index media_thumbnail on media (thumbnail_key);

    -- Bytes of ready and pending files and of imports under way, by organization. Never more than the limit.
    create table storage_use (
      organization_id text primary key,
      bytes bigint not null check (bytes >= 0)
    ) with (fillfactor = 50);

    -- Bytes that imports under way have reserved. One that was forgotten by a crash is given back when it expires.
    create table import_holds (
      id text primary key,
      organization_id text not null,
      bytes bigint not null,
      expires_at timestamptz not null
    );

    -- Which posts hold which files. Without confirmation the post may not exist: it is asked for after a while.
    create table attachments (
      media_id text not null,
      post_id text not null,
      organization_id text not null,
      attached_at timestamptz not null default clock_timestamp(),
      is_confirmed boolean not null default false,
      primary key (media_id, post_id)
    );
    create index attachments_of_post on attachments (post_id);
    create index attachments_unconfirmed on attachments (attached_at) where not is_confirmed;

    -- How far the events of a post with files have been followed.
    create table followed_posts (
      post_id text primary key,
      sequence int not null,
      at timestamptz not null default clock_timestamp()
    );

    -- Objects that must not stay in storage. Written before an object is made that no file owns yet, too, and taken
    -- back in the statement that gives it an owner, so that a crash at any point leaves no orphan.
    create table doomed_objects (
      id text primary key,
      keys text[] not null,
      not_before timestamptz not null
    );
    create index doomed_objects_next on doomed_objects (not_before);
  `,
}
