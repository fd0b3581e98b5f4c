import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProcess } from './process-info.ts'
import { endProcess, type StopStep } from './server-process.ts'

const OWNER_FILE = 'owner.pid'

/** Where a kind of server notes its process id, and how its command line is told from any other. */
export type LeftoverKind = {
  name: string
  dataDir: string
  pidFile: string
  isServer(commandLine: string): boolean
  stopSteps: readonly StopStep[]
  log?: ((line: string) => void) | undefined
}

/**
 * Takes a data folder over for this process. A server that still runs on it after its Herald was killed is stopped
 * first. Throws when the Herald that started that server is still alive, because two may not share a folder.
 */
export async function takeOver(kind: LeftoverKind): Promise<void> {
  const ownerFile = join(kind.dataDir, OWNER_FILE)
  const pid = readPid(kind.pidFile)
  // A process id may have been given to another program since, so only the command line counts.
  const running = () => {
    const info = pid === undefined ? undefined : findProcess(pid)
    return info !== undefined && kind.isServer(info.commandLine) ? info : undefined
  }
  const leftover = running()
  if (pid !== undefined && leftover !== undefined) {
    // An orphan is handed to another parent, so the recorded owner is its parent only while that one lives.
    if (leftover.parent === readPid(ownerFile)) {
      throw new Error(
        `${kind.dataDir} is in use by Herald (process ${leftover.parent}). Stop that one first.`,
      )
    }
    kind.log?.(`Stopping a ${kind.name} that an earlier run left behind (process ${pid}).`)
    const kill = (signal: NodeJS.Signals) => signalIfAlive(pid, signal)
    await endProcess({ kill, hasEnded: () => running() === undefined }, kind.stopSteps)
    if (running() !== undefined) {
      throw new Error(`${kind.name} (process ${pid}) cannot be stopped. Stop it and try again.`)
    }
  }
  // The number now belongs to another program, and a server would take that one for itself and refuse to start. The
  // file of a dead process stays: Postgres reads in it which shared memory to check for surviving children.
  if (pid !== undefined && findProcess(pid) !== undefined) rmSync(kind.pidFile, { force: true })
  writeFileSync(ownerFile, String(process.pid))
}

function readPid(path: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10)
    return pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended in between, or belongs to somebody else: the caller looks whether it is still there.
  }
}
