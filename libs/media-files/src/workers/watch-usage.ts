import { processUsage } from './process-usage.ts'
import type { TaskFailure, TaskLimits } from './task.ts'

const LOOK_EVERY_MS = 50

/**
 * Watches what a process uses during one task and calls `exceeded` once when it is more than it may. Where there is no
 * /proc only the time is watched. Answers how to stop.
 */
export function watchUsage(
  pid: number,
  limits: TaskLimits,
  exceeded: (reason: TaskFailure) => void,
): () => void {
  const cpuMsBefore = processUsage(pid)?.cpuMs ?? 0
  const stop = () => {
    clearTimeout(deadline)
    clearInterval(look)
  }
  const stopAnd = (reason: TaskFailure) => {
    stop()
    exceeded(reason)
  }
  const deadline = setTimeout(() => stopAnd('too-slow'), limits.wallMs)
  const look = setInterval(() => {
    const usage = processUsage(pid)
    if (!usage) return
    if (usage.residentBytes > limits.memoryBytes) stopAnd('too-large')
    else if (usage.cpuMs - cpuMsBefore > limits.cpuMs) stopAnd('too-slow')
  }, LOOK_EVERY_MS)
  return stop
}
