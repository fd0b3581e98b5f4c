import { WorkersBusy } from '../workers-busy.ts'
import { TaskFailed } from './task.ts'
import {
  startWorkerProcess,
  type WorkerProcess,
  type WorkerProcessOptions,
} from './worker-process.ts'

/** How many workers there are, how long they live, and how much may wait for them. */
export type PoolOptions = WorkerProcessOptions & {
  size: number
  /** Tasks that may wait for a worker; the next is refused. */
  maxWaiting: number
  /** How long a task may wait for a worker. */
  maxWaitMs: number
  /** A worker that had nothing to do for so long is ended. */
  idleMs: number
  /** A worker is replaced after so many tasks, so that nothing that a file did to it lasts. */
  tasksPerWorker: number
}

/** A place for one worker. */
export type Slot = { worker: WorkerProcess; tasks: number; idleTimer?: NodeJS.Timeout }

/** Hands out workers, each to one task at a time. */
export type WorkerSlots = {
  /** A worker that is idle, or a new one, or the next that becomes free. Throws `WorkersBusy`. */
  acquire: () => Promise<Slot>
  /** Takes back a worker that did its task well. One that did not is killed and comes back by itself. */
  release: (slot: Slot) => void
  pids: () => number[]
  /** Kills all; resolves when they are gone. */
  close: () => Promise<void>
}

type Waiting = { take: (slot: Slot) => void; refuse: (error: Error) => void }

/** The places of a pool; its processes are started when they are asked for. */
export function openWorkerSlots(options: PoolOptions): WorkerSlots {
  const slots = new Set<Slot>()
  const idle: Slot[] = []
  const waiting: Waiting[] = []
  let isClosed = false

  const add = (): Slot => {
    const slot: Slot = { worker: startWorkerProcess(options), tasks: 0 }
    slots.add(slot)
    void slot.worker.gone.then(() => remove(slot))
    return slot
  }
  const remove = (slot: Slot) => {
    clearTimeout(slot.idleTimer)
    slots.delete(slot)
    const at = idle.indexOf(slot)
    if (at >= 0) idle.splice(at, 1)
    // Its place is free now, and somebody may wait for one.
    if (!isClosed && waiting.length > 0) waiting.shift()?.take(add())
  }
  return {
    async acquire() {
      if (isClosed) throw new TaskFailed('closed')
      const slot = idle.pop()
      if (slot) {
        clearTimeout(slot.idleTimer)
        return slot
      }
      if (slots.size < options.size) return add()
      if (waiting.length >= options.maxWaiting) throw tooBusy()
      return waitForSlot(waiting, options.maxWaitMs)
    },
    release(slot) {
      if (slot.tasks >= options.tasksPerWorker) return void slot.worker.kill('closed')
      const next = waiting.shift()
      if (next) return next.take(slot)
      idle.push(slot)
      slot.idleTimer = setTimeout(() => void slot.worker.kill('closed'), options.idleMs).unref()
    },
    pids: () => [...slots].map((slot) => slot.worker.pid),
    async close() {
      isClosed = true
      for (const task of waiting.splice(0)) task.refuse(new TaskFailed('closed'))
      await Promise.all([...slots].map((slot) => slot.worker.kill('closed')))
    },
  }
}

function waitForSlot(waiting: Waiting[], maxWaitMs: number): Promise<Slot> {
  const { promise, resolve, reject } = Promise.withResolvers<Slot>()
  const timer = setTimeout(() => {
    waiting.splice(waiting.indexOf(entry), 1)
    reject(tooBusy())
  }, maxWaitMs)
  const entry: Waiting = {
    take: (slot) => {
      clearTimeout(timer)
      resolve(slot)
    },
    refuse: (error) => {
      clearTimeout(timer)
      reject(error)
    },
  }
  waiting.push(entry)
  return promise
}

function tooBusy(): WorkersBusy {
  return new WorkersBusy('Too many files wait to be read. Try again later.')
}
