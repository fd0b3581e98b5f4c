import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from './logger.ts'

export type Loop = {
  /** Ends the present sleep; during a run it makes another run follow. */
  wake: () => void
  /** Lets the present run end and starts no other. */
  close: () => Promise<void>
}

export type LoopOptions = {
  name: string
  logger: Logger
  /**
   * Does one round and answers how long to sleep until the next, in milliseconds; 0 is at once. The signal is
   * aborted when the loop closes.
   */
  run: (signal: AbortSignal) => Promise<number>
}

const FIRST_BACKOFF_MS = 250
const LONGEST_BACKOFF_MS = 5_000
/** The longest a timer can wait; a longer one would fire at once. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1

/**
 * Runs something again and again in the background. A round that throws is logged and followed by another after a
 * delay that grows from a quarter of a second to 5 s; a wake cuts it short, but not below the quarter of a second.
 * Nothing but `close` ends the loop.
 */
export function loop({ name, logger, run }: LoopOptions): Loop {
  const stopped = new AbortController()
  const { signal } = stopped
  let isWoken = false
  let endSleep = () => {}
  let failures = 0

  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, LONGEST_SLEEP_MS))
      endSleep = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const backOff = async (error: unknown) => {
    failures += 1
    logger.warn({ error, loop: name, failures }, 'A background loop failed and goes on.')
    const longest = Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS)
    const until = performance.now() + longest * (0.75 + Math.random() / 2)
    const notBefore = performance.now() + FIRST_BACKOFF_MS
    for (;;) {
      const now = performance.now()
      if (signal.aborted || now >= until || (isWoken && now >= notBefore)) return
      await sleep(isWoken ? notBefore - now : until - now)
    }
  }

  const round = async () => {
    isWoken = false
    try {
      const ms = await run(signal)
      failures = 0
      // A turn of the event loop between rounds lets timers and sockets have theirs.
      if (isWoken || !(ms > 0)) await nextTurn()
      else if (!signal.aborted) await sleep(ms)
    } catch (error) {
      if (!signal.aborted) await backOff(error)
    }
  }

  const work = async () => {
    await nextTurn()
    while (!signal.aborted) await round()
  }

  const done = work()
  return {
    wake: () => {
      isWoken = true
      endSleep()
    },
    close: async () => {
      stopped.abort()
      endSleep()
      await done
    },
  }
}
