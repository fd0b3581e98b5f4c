/**
 * What was used: requests by key within the minute and by organization within the month, and posts by organization within
 * the month. Months are calendar months in UTC, whatever the time zone of the server or the session.
 */
export const QUOTA_MIGRATIONS = {
  '0001-quota': `
    -- The time that decides everything here. Tests put another one in its place.
    create function quota_now() returns timestamptz language sql volatile return clock_timestamp();

    create function month_of(at timestamptz) returns date language sql immutable
      return date_trunc('month', at at time zone 'UTC')::date;

    create function month_end(month date) returns timestamptz language sql immutable
      return (month + interval '1 month') at time zone 'UTC';

    -- One row per key at work. Unlogged: a crash of Postgres empties it, which gives each key its minute anew.
    -- "tat" is the theoretical arrival time of the generic cell rate algorithm, in microseconds since 1970: when all
    -- of the minute's requests would be there again.
    create unlogged table key_minutes (
      key_id text primary key,
      tat bigint not null
    ) with (fillfactor = 50, autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_threshold = 1000);

    create table request_months (
      organization_id text not null,
      month date not null,
      used bigint not null,
      primary key (organization_id, month)
    ) with (fillfactor = 50, autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_threshold = 1000);

    create table post_months (
      organization_id text not null,
      month date not null,
      used bigint not null,
      primary key (organization_id, month)
    ) with (fillfactor = 50);

    -- One row per post. The reserved and the counted ones make up "used" above.
    create table post_units (
      post_id text primary key,
      organization_id text not null,
      month date not null,
      state text not null check (state in ('reserved', 'counted', 'cancelled')),
      expires_at timestamptz,
      check ((state = 'reserved') = (expires_at is not null))
    ) with (fillfactor = 70);
    create index post_units_expiring on post_units (expires_at) where state = 'reserved';
    create index post_units_of_month on post_units (month);

    -- Counts so many requests of a key, as far as both limits let them pass. The lock on the organization's row
    -- comes first and covers its keys, so statements that admit several keys in the order of their organizations
    -- cannot wait for each other in a circle.
    create function admit(key text, organization text, requests bigint, per_minute bigint, per_month bigint,
      out granted bigint, out refusal text, out at_ms bigint, out remaining bigint, out minute_resets_ms bigint,
      out used_this_month bigint, out month_resets_ms bigint)
    language plpgsql as $$
    declare
      this_moment timestamptz := quota_now();
      this_month date := month_of(this_moment);
      now_us bigint := extract(epoch from this_moment) * 1000000;
      -- A request takes so many microseconds of the minute; rounded up, so that never more than the limit fits in.
      step bigint := (60000000 + per_minute - 1) / per_minute;
      latest bigint := now_us + step * per_minute;
      kept bigint;
      reached bigint;
      room bigint;
    begin
      insert into request_months as m (organization_id, month, used) values (organization, this_month, requests)
      on conflict (organization_id, month) do update set used = m.used + requests
      returning used into used_this_month;

      select tat into kept from key_minutes where key_id = key;
      reached := least(greatest(coalesce(kept, 0), now_us), latest);
      room := (latest - reached) / step;
      granted := greatest(0, least(requests, room, per_month - used_this_month + requests));
      reached := reached + step * granted;
      remaining := room - granted;

      if granted < requests then
        refusal := case when remaining = 0 then 'rate_limited' else 'quota_exceeded' end;
        update request_months set used = used - (requests - granted)
        where organization_id = organization and month = this_month returning used into used_this_month;
      end if;
      -- Only a clock that was set back leaves more than a minute to wait for.
      if granted > 0 or kept > latest then
        insert into key_minutes (key_id, tat) values (key, reached)
        on conflict (key_id) do update set tat = excluded.tat;
      end if;

      at_ms := now_us / 1000;
      -- Rounded up, so that a request at that instant passes.
      minute_resets_ms := case when remaining = per_minute then at_ms
        else (reached - step * (per_minute - remaining - 1) + 999) / 1000 end;
      month_resets_ms := extract(epoch from month_end(this_month)) * 1000;
    end $$;
  `,
}
