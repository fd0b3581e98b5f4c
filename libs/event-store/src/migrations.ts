import type { Migration } from './migrate.ts'

/**
 * The tables of an event store. `streams` is the guard that makes versions unique and orders the writers of a
 * stream; `events` is insert-only; `outbox` holds what the relay has not yet handed to the bus, written by the
 * same statement as the event and deleted after the bus acknowledged it.
 *
 * There is no cursor over a sequence: a reader of `id > cursor` skips rows that commit late (29% in a measured
 * run), and a cursor over transaction ids breaks the order within a stream. There is no NOTIFY: it serialises
 * commits (3 to 5 times slower).
 */
export const EVENT_STORE_MIGRATIONS: Record<string, Migration> = {
  '0000-event-store': `
    create table streams (
      stream_id text primary key,
      type text not null,
      organization_id text not null,
      version int not null
    ) with (fillfactor = 80);

    create table events (
      stream_id text not null,
      version int not null,
      event_id text not null,
      organization_id text not null,
      type text not null,
      schema_version smallint not null,
      data jsonb not null,
      meta jsonb not null,
      at timestamptz not null default clock_timestamp(),
      primary key (stream_id, version)
    );
    create index events_at on events using brin (at);

    create function forbid_change() returns trigger language plpgsql as $$
    begin
      raise exception 'events are never changed or removed';
    end $$;
    create trigger events_are_final before update or delete or truncate on events
      for each statement execute function forbid_change();

    -- Only where the event is: the relay reads the event itself, and every append writes that much less.
    create table outbox (
      id bigint generated always as identity primary key,
      stream_id text not null,
      version int not null
    ) with (
      autovacuum_vacuum_scale_factor = 0,
      autovacuum_vacuum_threshold = 20000,
      autovacuum_vacuum_cost_delay = 0
    );

    -- Where the bus stood at a moment: the relay tells from it that the bus lost messages.
    create table relay_mark (
      at timestamptz primary key default clock_timestamp(),
      stream_created text not null,
      last_sequence bigint not null
    );

    -- Stops a statement whose guard did not hold; the message names the guard.
    create function require(holds boolean, guard text) returns boolean language plpgsql as $$
    begin
      if holds then
        return true;
      end if;
      raise exception using errcode = 'HD001', message = guard;
    end $$;
  `,
}
