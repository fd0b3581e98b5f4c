import { Reply, type Request, type Result, RESULTS, type Task, type TaskOf } from './tasks.ts'
import { UnreadableFile } from './unreadable-file.ts'
import { TaskFailed, type TaskLimits } from './workers/task.ts'
import type { WorkerPool } from './workers/worker-pool.ts'

/** What a worker answered, with the picture that it may have made. */
export type WorkerAnswer<Kind extends Task['kind']> = { result: Result<Kind>; picture: Buffer }

/**
 * Gives a task to a worker and checks its answer, which may be a stranger's. Throws `UnreadableFile` when the worker
 * says so, was ended because of the file, or talks nonsense.
 */
export async function askWorker<Kind extends Task['kind']>(
  pool: WorkerPool,
  { path, task }: { path: string; task: TaskOf<Kind> },
  limits: TaskLimits,
): Promise<WorkerAnswer<Kind>> {
  const answer = await pool
    .run({ path, task } satisfies Request, limits, (reply, bytes) =>
      readReply<Kind>(task.kind, reply, bytes),
    )
    .catch((error: unknown) => {
      throw inWords(error)
    })
  if ('unreadable' in answer) {
    throw new UnreadableFile(answer.unreadable, { cause: answer.because })
  }
  if ('failed' in answer) throw new Error(`A media worker failed: ${answer.failed}`)
  return answer
}

function readReply<Kind extends Task['kind']>(kind: Kind, said: unknown, bytes: Buffer) {
  const reply = Reply.parse(said)
  if (!('result' in reply)) return reply
  // The table's schema for a kind makes that kind's result, which the compiler cannot follow through a lookup.
  return { result: RESULTS[kind].parse(reply.result) as Result<Kind>, picture: bytes }
}

function inWords(error: unknown): unknown {
  if (!(error instanceof TaskFailed)) return error
  switch (error.reason) {
    case 'too-slow':
      return new UnreadableFile('This file takes too long to read.', { cause: error })
    case 'too-large':
      return new UnreadableFile('This file needs too much memory to read.', { cause: error })
    case 'died':
      return new UnreadableFile('This file cannot be read.', { cause: error })
    case 'not-started':
    case 'closed':
      return error
  }
}
