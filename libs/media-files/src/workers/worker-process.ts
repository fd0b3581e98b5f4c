import { type ChildProcess, spawn } from 'node:child_process'
import { encodeFrame, type Frame, frameReader } from './frames.ts'
import { Note, NOTES_PIPE, type Order } from './notes.ts'
import type { TaskFailure, TaskLimits, TaskOutcome } from './task.ts'
import { watchUsage } from './watch-usage.ts'

/** How to start a worker and what it may use. */
export type WorkerProcessOptions = {
  /** What stands before the program on the command line. */
  jail: readonly string[]
  /** The file that the worker runs. */
  module: string
  /** The longest body of an answer. */
  maxBodyBytes: number
}

/** One child process that does one task at a time. */
export type WorkerProcess = {
  pid: number
  /** Resolves when the worker can take a task. Rejects when it does not get there, which is never a file's fault. */
  ready: Promise<void>
  /** Does one task within these limits. To be called only when the worker is ready and has no other. */
  run: (request: unknown, limits: TaskLimits) => Promise<TaskOutcome>
  /** Kills the process; resolves when it is gone. */
  kill: (reason: TaskFailure) => Promise<void>
  /** Resolves when the process is gone, whatever the reason. */
  gone: Promise<void>
}

type Waiting = {
  task: number
  isStarted: boolean
  settle: (outcome: TaskOutcome) => void
  stop: () => void
}

const START_MS = 20_000
const LAST_WORDS = 4_000

const NODE_FLAGS = ['--disallow-code-generation-from-strings', '--max-old-space-size=256']

const ENVIRONMENT = {
  NODE_NO_WARNINGS: '1',
  // Large pictures stay in memory, where the limit on memory sees them, instead of in temporary files.
  VIPS_DISC_THRESHOLD: '4g',
  // What one picture took goes back to the system, so that the limit on memory measures the next one alone.
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

/**
 * Starts a worker. It says that it is ready, then for each task that it has started and what came of it. Whatever else
 * it says is taken as said by the author of the last file, and ends it.
 */
export function startWorkerProcess(options: WorkerProcessOptions): WorkerProcess {
  const child = spawnWorker(options)
  const ready = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  let state: 'starting' | 'ready' | 'over' = 'starting'
  let waiting: Waiting | undefined
  let tasks = 0
  let lastWords = ''

  const finish = (outcome: TaskOutcome) => {
    waiting?.stop()
    waiting?.settle(outcome)
    waiting = undefined
  }
  const end = (reason: TaskFailure) => {
    if (state === 'over') return
    state = 'over'
    clearTimeout(startTimer)
    killGroup(child)
    for (const stream of child.stdio) stream?.destroy()
    ready.reject(new Error(`A media worker did not start (${reason}). ${lastWords}`))
    const isUntouched = waiting?.isStarted === false && reason === 'died'
    finish({ ok: false, reason: isUntouched ? 'not-started' : reason })
  }
  const take = ({ head, body }: Frame) => {
    const note = Note.parse(head)
    if ('ready' in note && state === 'starting') {
      state = 'ready'
      clearTimeout(startTimer)
      ready.resolve()
    } else if ('ready' in note || note.task !== waiting?.task) end('died')
    else if ('started' in note) waiting.isStarted = true
    else finish({ ok: true, reply: note.reply, body })
  }
  const startTimer = setTimeout(end, START_MS, 'too-slow')
  // Who starts a worker may find it dead before looking; that is no failure without a reader.
  ready.promise.catch(() => undefined)
  child.once('exit', () => gone.resolve(end('died')))
  child.once('error', () => gone.resolve(end('died')))
  onFrames(child, options.maxBodyBytes, take, () => end('died'))
  onErrorOutput(child, (text) => (lastWords = (lastWords + text).slice(-LAST_WORDS)))

  return {
    pid: child.pid ?? 0,
    ready: ready.promise,
    gone: gone.promise,
    run: (request, limits) => {
      if (state !== 'ready') return Promise.resolve({ ok: false, reason: 'not-started' })
      const { promise, resolve } = Promise.withResolvers<TaskOutcome>()
      const stop = watchUsage(child.pid ?? 0, limits, end)
      tasks += 1
      waiting = { task: tasks, isStarted: false, settle: resolve, stop }
      child.stdin?.write(encodeFrame({ task: tasks, request } satisfies Order))
      return promise
    },
    kill: (reason) => {
      end(reason)
      return gone.promise
    },
  }
}

function spawnWorker(options: WorkerProcessOptions): ChildProcess {
  const [program, ...args] = [...options.jail, process.execPath, ...NODE_FLAGS, options.module]
  return spawn(program ?? process.execPath, args, {
    cwd: '/',
    env: ENVIRONMENT,
    // Messages go through a pipe of their own, so that what a library prints cannot be taken for one.
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    // A process group of its own: killing the group also ends what the worker has started.
    detached: true,
  })
}

function onFrames(
  child: ChildProcess,
  maxBodyBytes: number,
  take: (frame: Frame) => void,
  garbage: () => void,
) {
  const read = frameReader({ maxBodyBytes })
  child.stdio[NOTES_PIPE]?.on('data', (bytes: Buffer) => {
    try {
      for (const frame of read(bytes)) take(frame)
    } catch {
      garbage()
    }
  })
  // A worker that goes away breaks its pipes; its exit is what counts.
  for (const stream of child.stdio) stream?.on('error', () => undefined)
}

function onErrorOutput(child: ChildProcess, heard: (text: string) => void) {
  child.stderr?.setEncoding('utf8').on('data', heard)
}

function killGroup(child: ChildProcess) {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
