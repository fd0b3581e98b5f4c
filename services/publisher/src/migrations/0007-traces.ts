/** The `traceparent` of the event that asked for an attempt, so that its trace goes on with the attempt. */
export const TRACES_MIGRATION = {
  '0007-traces': `
    alter table attempts add column traceparent text;
  `,
}
