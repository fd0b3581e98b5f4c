import { Worker } from 'node:worker_threads'

/** Memory for the objects of a thread, in MB. A thread that needs more ends, and not the process. */
const MAX_HEAP_MB = 256

/**
 * Runs a script in a thread of its own and answers the first message that it sends. An endless loop or an error that
 * nobody catches, which would hang or end the process, only ends the thread here. Undefined when the script fails,
 * ends without a message or takes longer than `timeoutMs`.
 */
export async function inThread(script: URL, input: unknown, timeoutMs: number): Promise<unknown> {
  let thread: Worker | undefined
  try {
    thread = new Worker(script, {
      workerData: input,
      // Of how the process was started, nothing concerns the thread.
      execArgv: [],
      // Libraries print what they think of a file; it must not mix with the process's own output.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    thread.stdout.resume()
    thread.stderr.resume()
    return await firstMessage(thread, timeoutMs)
  } catch {
    return undefined
  } finally {
    await thread?.terminate()
  }
}

async function firstMessage(thread: Worker, timeoutMs: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const timer = setTimeout(() => reject(new Error('The time is over.')), timeoutMs)
  thread.once('message', resolve)
  // More than one error can come; none may be without a listener.
  thread.on('error', reject)
  thread.on('messageerror', reject)
  thread.once('exit', () => reject(new Error('The thread ended without a message.')))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}
