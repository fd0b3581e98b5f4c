import { readFileSync } from 'node:fs'

/** What a process and its children have used: resident memory now, processor time since their start. */
export type Usage = { residentBytes: number; cpuMs: number }

// The kernel tells processor time in ticks of 10 ms on every architecture that Node runs on.
const TICK_MS = 10

/**
 * Memory and processor time of a process with its children, or null where there is no /proc and when it has ended.
 * It reads synchronously: these files are made by the kernel in microseconds, and a busy parent must not be late.
 */
export function processUsage(pid: number): Usage | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const residentKb = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0)
    // The program's name stands in brackets and may hold anything; the fields are counted from behind it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const usage = {
      residentBytes: residentKb * 1024,
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    }
    for (const child of childrenOf(pid)) {
      const part = processUsage(child)
      usage.residentBytes += part?.residentBytes ?? 0
      usage.cpuMs += part?.cpuMs ?? 0
    }
    return usage
  } catch {
    return null
  }
}

/** The processes that the main thread of a process has started and that still run. */
export function childrenOf(pid: number): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
    return list.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
