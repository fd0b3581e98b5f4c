/**
 * One attempt per post and channel. `claimed` is to be done, `calling` is written before the first byte of the call
 * that makes the post live, `unknown` is a call whose outcome nobody knows; `published` and `rejected` are ends.
 * Every change of a row by a worker checks the fence, which rises with each claim.
 */
export const PUBLISHER_MIGRATIONS = {
  '0001-attempts': `
    create table attempts (
      post_id text not null,
      channel_id text not null,
      generation int not null,
      organization_id text not null,
      platform text not null,
      state text not null default 'claimed'
        check (state in ('claimed', 'calling', 'unknown', 'published', 'rejected')),
      fence int not null default 0,
      lease_until timestamptz,
      content text not null,
      options jsonb not null,
      due_at timestamptz not null,
      deadline_at timestamptz not null,
      step jsonb,
      tries int not null default 0,
      checks int not null default 0,
      next_attempt_at timestamptz not null,
      called_at timestamptz,
      outcome jsonb,
      next_report_at timestamptz,
      created_at timestamptz not null default clock_timestamp(),
      primary key (post_id, channel_id, generation)
    ) with (fillfactor = 70);
    create index attempts_to_do on attempts (next_attempt_at) where state in ('claimed', 'unknown');
    create index attempts_calling on attempts (lease_until) where state = 'calling';
    create index attempts_to_report on attempts (next_report_at) where next_report_at is not null;
    create index attempts_ended on attempts (created_at) where state in ('published', 'rejected');
  `,
}
