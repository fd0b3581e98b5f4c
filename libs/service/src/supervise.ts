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
  /** Does one round and answers how long to sleep until the next, in milliseconds; 0 is at once. */
  run: (signal: AbortSignal) => Promise<number>
}

const FIRST_BACKOFF_MS = 250
const LONGEST_BACKOFF_MS = 5_000

/**
 * Runs something again and again in the background. A round that throws is logged and followed by another after a
 * growing delay; nothing but `close` ends the loop.
 */
export function loop({ name, logger, run }: LoopOptions): Loop {
  const stopped = new AbortController()
  let endSleep: (() => void) | undefined
  let isWoken = false
  let failures = 0

  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      endSleep = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const round = async (): Promise<number> => {
    try {
      const ms = await run(stopped.signal)
      failures = 0
      return ms
    } catch (error) {
      if (stopped.signal.aborted) return 0
      failures += 1
      logger.warn({ error, loop: name, failures }, 'A background loop failed and goes on.')
      const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS)
      isWoken = false
      return backoff * (0.75 + Math.random() / 2)
    }
  }

  const work = async () => {
    while (!stopped.signal.aborted) {
      isWoken = false
      const ms = await round()
      if (stopped.signal.aborted) return
      // A macrotask between rounds lets timers and sockets have their turn.
      if (isWoken || ms <= 0) await new Promise((resolve) => setImmediate(resolve))
      else await sleep(ms)
    }
  }

  const done = work()
  return {
    wake: () => {
      isWoken = true
      endSleep?.()
    },
    close: async () => {
      stopped.abort()
      endSleep?.()
      await done
    },
  }
}
