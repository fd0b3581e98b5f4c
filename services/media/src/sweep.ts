import { handle } from '@herald/event-store/handle'
import { forgetFreeKeys } from '@herald/event-store/idempotency'
import { acrossOrganizations } from '@herald/event-store/organization'
import { type Loop, loop } from '@herald/service/supervise'
import { forgetFollowedPosts, settleOldAttachments } from './attachments.ts'
import type { Deps } from './deps.ts'
import { removeNextDoomed } from './doomed-objects.ts'
import { releaseExpiredHolds } from './import-hold.ts'
import { mediaStream } from './media-stream.ts'
import { giveBytesBack } from './storage-use.ts'

const EVERY_MS = 15_000
const CLEAN_EVERY_MS = 60_000
/** A `complete` that began within the window may still be at work this long after it. */
const GRACE_SECONDS = 120

type SweepDeps = Pick<Deps, 'store' | 'posts' | 'now' | 'logger'>

/** What a sweep did. `corrected` counts organizations whose sum of bytes was wrong; it must stay 0. */
export type Swept = { failed: number; holds: number; settled: number; corrected: number }

/** Sweeps every 15 seconds. */
export function startSweep(deps: SweepDeps): Loop {
  return loop({
    name: 'sweep',
    logger: deps.logger,
    run: async () => {
      const { corrected } = await sweep(deps)
      if (corrected > 0) deps.logger.error({ corrected }, 'The sweep had to correct sums of bytes.')
      return EVERY_MS
    },
  })
}

/** Ends what has run out of time: uploads, holds of imports, and attachments of posts that never came to be. */
export async function sweep(deps: SweepDeps): Promise<Swept> {
  const { pool } = deps.store
  const failed = await failOverdueUploads(deps)
  const holds = await releaseExpiredHolds(pool)
  const corrected = await correctSums(deps)
  await forgetFollowedPosts(pool)
  await forgetFreeKeys(pool)
  const settled = await settleOldAttachments(deps).catch((error: unknown) => {
    deps.logger.warn({ error }, 'Files of posts in doubt stay held until posts answers.')
    return 0
  })
  return { failed, holds, settled, corrected }
}

async function failOverdueUploads({ store, now }: SweepDeps): Promise<number> {
  const { rows } = await acrossOrganizations(store.pool).query<{
    id: string
    organization_id: string
    size_bytes: number
  }>(
    `select id, organization_id, size_bytes from media where status = 'pending'
     and expires_at < clock_timestamp() - make_interval(secs => $1) order by expires_at limit 1000`,
    [GRACE_SECONDS],
  )
  for (const { id, organization_id: organizationId, size_bytes } of rows) {
    await handle(
      store,
      mediaStream,
      id,
      { type: 'ExpireUpload', now: new Date(now()).toISOString() },
      {
        organizationId,
        meta: { actor: 'sweep' },
        riders: [giveBytesBack(organizationId, size_bytes)],
      },
    )
  }
  return rows.length
}

/** Every sum of bytes must be that of the files and imports it stands for; one statement sees all of them at once. */
async function correctSums({ store }: SweepDeps): Promise<number> {
  const { rowCount } = await acrossOrganizations(store.pool).query(
    `with held as (
       select organization_id, sum(bytes) as bytes from (
         select organization_id, size_bytes as bytes from media where status in ('pending', 'ready')
         union all select organization_id, bytes from import_holds) parts
       group by 1),
     wrong as (
       select used.organization_id, coalesce(held.bytes, 0) as bytes, used.bytes as was
       from storage_use used left join held using (organization_id)
       where used.bytes <> coalesce(held.bytes, 0))
     update storage_use used set bytes = wrong.bytes from wrong
     where used.organization_id = wrong.organization_id and used.bytes = wrong.was`,
  )
  return rowCount ?? 0
}

/** Removes objects whose time has come, each time it is woken and every minute. */
export function startCleaner({
  store,
  storage,
  logger,
}: Pick<Deps, 'store' | 'storage' | 'logger'>): Loop {
  return loop({
    name: 'clean',
    logger,
    run: async () => ((await removeNextDoomed(store.pool, storage)) ? 0 : CLEAN_EVERY_MS),
  })
}
