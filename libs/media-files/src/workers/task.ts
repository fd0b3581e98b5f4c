/** Why a task got no answer: what became of its worker. */
export type TaskFailure = 'not-started' | 'too-slow' | 'too-large' | 'died' | 'closed'

/** How a task ended. A failure is for the caller to put into words. */
export type TaskOutcome =
  | { ok: true; reply: unknown; body: Buffer }
  | { ok: false; reason: TaskFailure }

/** What one task may use: time on the clock, processor time, and resident memory of the worker. */
export type TaskLimits = { wallMs: number; cpuMs: number; memoryBytes: number }

/** A task got no answer because of what became of its worker. */
export class TaskFailed extends Error {
  override name = 'TaskFailed'
  readonly reason: TaskFailure
  constructor(reason: TaskFailure, options?: ErrorOptions) {
    super(`A media worker was lost: ${reason}.`, options)
    this.reason = reason
  }
}
