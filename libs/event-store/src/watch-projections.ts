import type { Logger } from '@herald/service/logger'
import { type Loop, loop } from '@herald/service/supervise'
import { observeGauge } from '@herald/telemetry/observe-gauge'
import type { Pool } from 'pg'
import { type AnyStreamType, checkSomeStreams } from './rebuild.ts'

export type WatchOptions = {
  pool: Pool
  streamTypes: readonly AnyStreamType[]
  logger: Logger
  /** Between one batch of streams and the next. */
  pauseMs?: number
  /** Between one round over all streams and the next. */
  roundEveryMs?: number
}

/**
 * Compares the read models with their events in the background, some streams at a time and round after round, and
 * measures how many differ: those of the last round, or of this one where they are more already. However many streams
 * there are, it costs one batch of 500 every 10 s.
 */
export function watchProjections({
  pool,
  streamTypes,
  logger,
  pauseMs = 10_000,
  roundEveryMs = 60_000,
}: WatchOptions): Loop & { mismatches: () => number } {
  let ofLastRound = 0
  let found = new Set<string>()
  let at = { type: 0, after: '' }
  const mismatches = () => Math.max(ofLastRound, found.size)

  const endRound = () => {
    ofLastRound = found.size
    found = new Set()
    at = { type: 0, after: '' }
    return roundEveryMs
  }

  const stopMeasuring = observeGauge({
    name: 'herald_projection_mismatches',
    description:
      'Streams whose read models differ from the fold of their events, at the last check.',
    read: () => [{ value: mismatches() }],
  })
  const work = loop({
    name: 'watch-projections',
    logger,
    run: async () => {
      const streamType = streamTypes[at.type]
      if (!streamType) return endRound()
      const { last, mismatches: differing } = await checkSomeStreams(pool, streamType, at.after)
      for (const id of differing) found.add(id)
      if (differing.length > 0)
        logger.error({ streams: differing.slice(0, 5) }, 'Read models differ from their events.')
      at = last === undefined ? { type: at.type + 1, after: '' } : { ...at, after: last }
      return last === undefined ? 0 : pauseMs
    },
  })
  return {
    wake: work.wake,
    mismatches,
    close: async () => {
      stopMeasuring()
      await work.close()
    },
  }
}
