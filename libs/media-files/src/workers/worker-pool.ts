import { TaskFailed, type TaskLimits } from './task.ts'
import type { WorkerProcess } from './worker-process.ts'
import { openWorkerSlots, type PoolOptions } from './worker-slots.ts'

/** Makes sense of a reply, or throws. */
export type Read<T> = (reply: unknown, bytes: Buffer) => T

/** A few worker processes that share a queue. */
export type WorkerPool = {
  /**
   * Does a task and answers what `read` makes of the reply and the bytes that came with it. A reply that `read` throws on is taken for a hostile one.
   * Throws `TaskFailed` when the worker was lost or hostile, `WorkersBusy` when too much waits already.
   */
  run: <T>(request: unknown, limits: TaskLimits, read: Read<T>) => Promise<T>
  /** The process ids of the workers that live now. */
  pids: () => number[]
  /** Ends every worker and what waits for one; resolves when no process is left. */
  close: () => Promise<void>
}

// A task that its worker had not begun is given to another one; three in a row mean that no worker works.
const TRIES = 3

/** Opens a pool. Processes are started when there is something to do. */
export function openWorkerPool(options: PoolOptions): WorkerPool {
  const slots = openWorkerSlots(options)
  return {
    async run(request, limits, read) {
      for (let tries = 1; ; tries += 1) {
        const slot = await slots.acquire()
        await slot.worker.ready
        slot.tasks += 1
        const outcome = await slot.worker.run(request, limits)
        if (outcome.ok) {
          const answer = readReply(slot.worker, () => read(outcome.reply, outcome.body))
          slots.release(slot)
          return answer
        }
        if (outcome.reason !== 'not-started' || tries === TRIES)
          throw new TaskFailed(outcome.reason)
      }
    },
    pids: slots.pids,
    close: slots.close,
  }
}

function readReply<T>(worker: WorkerProcess, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    void worker.kill('died')
    throw new TaskFailed('died', { cause })
  }
}
