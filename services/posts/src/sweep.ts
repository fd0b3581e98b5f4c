import { handle, type EventStore } from '@herald/event-store/handle'
import { forgetFreeKeys } from '@herald/event-store/idempotency'
import { acrossOrganizations } from '@herald/event-store/organization'
import type { Logger } from '@herald/service/logger'
import { type Loop, loop } from '@herald/service/supervise'
import { forgetOldFingerprints } from './fingerprint.ts'
import { postStream } from './post-stream.ts'

export type SweepDeps = { store: EventStore; logger: Logger; publishWithinMinutes: number }

/** What a sweep had to repair. All three must stay 0; anything else is a bug that the sweep covers. */
export type Repairs = { addedToDue: number; droppedFromDue: number; abandoned: number }

const EVERY_MS = 60_000
/** The sweep ends a post this long before the limit, so that every post has ended when the limit comes. */
const MARGIN_MINUTES = 1

/** Sweeps each minute, and logs an error when there was something to repair. */
export function startSweep(deps: SweepDeps): Loop {
  return loop({
    name: 'sweep',
    logger: deps.logger,
    run: async () => {
      const repairs = await sweep(deps)
      if (Object.values(repairs).some((count) => count > 0))
        deps.logger.error({ repairs }, 'The sweep had to repair posts.')
      return EVERY_MS
    },
  })
}

/** Repairs what fell through: scheduled posts that nobody waits for, and posts whose publishing never ended. */
export async function sweep(deps: SweepDeps): Promise<Repairs> {
  await forgetOldFingerprints(deps.store.pool)
  await forgetFreeKeys(deps.store.pool)
  return {
    addedToDue: await addMissingDue(deps),
    droppedFromDue: await dropStaleDue(deps),
    abandoned: await endAbandoned(deps),
  }
}

async function addMissingDue({ store }: SweepDeps): Promise<number> {
  const { rowCount } = await acrossOrganizations(store.pool).query(
    `insert into due (post_id, organization_id, version, publish_at, channels)
     select p.id, p.organization_id, p.version, p.scheduled_at,
            (select jsonb_agg(jsonb_build_object('channelId', channel_id, 'platform', platform) order by position)
             from post_channels where post_id = p.id and status = 'draft')
     from posts p join streams s on s.stream_id = p.id and s.version = p.version
     where p.status = 'scheduled'
       and not exists (select from due d where d.post_id = p.id and d.version = p.version)
     on conflict (post_id) do update
       set version = excluded.version, publish_at = excluded.publish_at, channels = excluded.channels
       where due.version < excluded.version`,
  )
  return rowCount ?? 0
}

async function dropStaleDue({ store }: SweepDeps): Promise<number> {
  const { rowCount } = await acrossOrganizations(store.pool).query(
    `delete from due d where not exists (
       select from posts p where p.id = d.post_id and p.status = 'scheduled' and p.version = d.version)`,
  )
  return rowCount ?? 0
}

async function endAbandoned({ store, publishWithinMinutes }: SweepDeps): Promise<number> {
  const { rows } = await acrossOrganizations(store.pool).query<{
    id: string
    organization_id: string
  }>(
    `select id, organization_id from posts where status = 'publishing'
     and greatest(scheduled_at, created_at) < now() - make_interval(mins => $1)`,
    [publishWithinMinutes - MARGIN_MINUTES],
  )
  let abandoned = 0
  for (const { id, organization_id } of rows) {
    const { events } = await handle(
      store,
      postStream,
      id,
      { type: 'AbandonPublishing' },
      { organizationId: organization_id, meta: { actor: 'sweep' } },
    )
    // A post that ended by itself since it was read needed no repair.
    if (events.length > 0) abandoned += 1
  }
  return abandoned
}
