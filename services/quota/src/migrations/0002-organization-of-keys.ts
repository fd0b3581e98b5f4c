/**
 * The minutes of keys say whose they are, so that they stand behind the wall of tenancy; each key gets its minute anew.
 */
export const ORGANIZATION_OF_KEYS_MIGRATION = {
  '0002-organization-of-keys': `
    truncate key_minutes;
    alter table key_minutes add column organization_id text not null;

    -- As before, and each request is counted within its own organization: a statement admits requests of several, one
    -- after the other. The lock on the organization's row comes first and covers its keys.
    create or replace function admit(key text, organization text, requests bigint, per_minute bigint, per_month bigint,
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
      perform set_config('herald.organization', organization, true);

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
        insert into key_minutes (key_id, organization_id, tat) values (key, organization, reached)
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
