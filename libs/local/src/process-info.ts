import { readFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'

/** A process as the system sees it: the process that started it and its command line, words apart by a space. */
export type ProcessInfo = { parent: number; commandLine: string }

/** Looks a process up; undefined when it is gone, also when only its unreaped entry is left. */
export function findProcess(pid: number): ProcessInfo | undefined {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid)
}

function fromProc(pid: number): ProcessInfo | undefined {
  try {
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    // The program's name stands in parentheses and may hold anything, so fields are counted from the last one.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return commandLine === '' ? undefined : { parent: Number(parent), commandLine }
  } catch {
    return undefined
  }
}

function fromPs(pid: number): ProcessInfo | undefined {
  const { status, stdout } = spawnSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)])
  const [, parent, commandLine] = /^\s*(\d+)\s+(.*)$/m.exec(String(stdout)) ?? []
  return status === 0 && parent !== undefined && commandLine !== undefined
    ? { parent: Number(parent), commandLine }
    : undefined
}
