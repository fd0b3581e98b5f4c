/**
 * What a file looks like within a platform's limits. Without an object it is the file itself, which fits as it is. A row
 * comes and goes with its object, under the lock of the file's stream.
 */
export const RENDITIONS_MIGRATION = {
  '0002-renditions': `
    create table renditions (
      media_id text not null,
      -- The limits in the one form in which they are written.
      limits text not null,
      organization_id text not null,
      object_key text,
      mime_type text not null,
      size_bytes bigint not null,
      width int not null,
      height int not null,
      primary key (media_id, limits)
    );
    create unique index renditions_object on renditions (object_key);
  `,
}
