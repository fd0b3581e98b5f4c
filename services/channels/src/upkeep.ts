import { AppError } from '@herald/contracts/errors'
import { ConnectError } from '@herald/platforms/platform'
import { type Loop, loop } from '@herald/service/supervise'
import type { Deps } from './deps.ts'
import { claimLimits, claimRenewals, type DueChannel } from './due.ts'
import { renewAhead } from './fresh-token.ts'
import { forgetOldGrants } from './grants.ts'
import { refreshLimits } from './limits.ts'
import { type ChannelRow, findChannel } from './queries.ts'

/** How many channels are looked after at a time: fewer than there are connections for renewals. */
const BATCH = 4
const SLEEP_MS = 5_000

/** Renews tokens before they expire and keeps the limits of accounts up to date. Any number of processes may do so. */
export function startUpkeep(deps: Deps): Loop {
  return loop({
    name: 'upkeep',
    logger: deps.logger,
    run: async () => {
      const isFull = await upkeep(deps)
      return isFull ? 0 : SLEEP_MS * (0.5 + Math.random())
    },
  })
}

/** One round; answers whether there may be more to do at once. A channel that fails does not hold up the others. */
export async function upkeep(deps: Deps): Promise<boolean> {
  const { store, now } = deps
  await forgetOldGrants(store.pool, now())
  const renewals = await claimRenewals(store.pool, now(), BATCH)
  await lookAfter(deps, renewals, (row, { expiresAt }) =>
    // Far enough to reach the token that is due, and no other that has come in its place meanwhile.
    renewAhead(deps, row, Math.max(0, (expiresAt ?? 0) - now()) + 1_000),
  )
  const limits = await claimLimits(store.pool, now(), BATCH)
  await lookAfter(deps, limits, (row) => refreshLimits(deps, row))
  return renewals.length === BATCH || limits.length === BATCH
}

async function lookAfter(
  deps: Deps,
  due: DueChannel[],
  work: (row: ChannelRow, due: DueChannel) => Promise<void>,
): Promise<void> {
  await Promise.all(
    due.map(async (one) => {
      const row = await findChannel(deps.store.pool, one.organizationId, one.channelId)
      if (row?.status !== 'active') return
      await work(row, one).catch((error: unknown) => explain(deps, row, error))
    }),
  )
}

/** A platform that does not answer, and a grant that is over, are told by what they lead to. */
function explain({ logger }: Deps, { id: channelId, platform }: ChannelRow, error: unknown): void {
  if (error instanceof ConnectError || error instanceof AppError)
    logger.info({ channelId, platform, reason: error.message }, 'A channel waits for its platform.')
  else logger.warn({ channelId, platform, error }, 'A channel could not be looked after.')
}
