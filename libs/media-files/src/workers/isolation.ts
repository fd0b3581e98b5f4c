import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { processUsage } from './process-usage.ts'
import { findProgram } from './find-program.ts'

/** What holds a worker back on this machine, for logs. What is false is missing here, and its reason is the machine. */
export type Isolation = {
  /** A worker has a network of its own with nothing in it. */
  network: boolean
  /** A worker sees no process but its own, and nothing that it started outlives it. */
  processes: boolean
  /** A worker cannot gain rights, for example by a program with the setuid bit. */
  noNewPrivileges: boolean
  /** The user id that a worker runs as when that is not Herald's own, else null. */
  userId: number | null
  /** Limits of the kernel on processor time, size of written files, open files and memory. */
  resourceLimits: boolean
  /** The memory and processor time of a worker are watched and it is ended in time. */
  watched: boolean
}

/** How to start a program so that little can come of it: what stands before it on the command line. */
export type Jail = { command: readonly string[]; isolation: Isolation }

const NOBODY = 65_534
const PROBE_MS = 10_000

const NAMESPACES = [
  {
    flags: ['--net', '--ipc', '--pid', '--fork', '--kill-child', '--mount-proc'],
    network: true,
    processes: true,
  },
  { flags: ['--net'], network: true, processes: false },
] as const

const run = promisify(execFile)

/**
 * Finds out which of the kernel's walls can be put around a worker here, by trying each. `readableFile` is a file that
 * a worker must be able to read, its own code; a wall behind which it cannot is not used.
 */
export async function probeJail(options: {
  readableFile: string
  limits: { cpuSeconds: number; memoryBytes: number }
}): Promise<Jail> {
  const works = (command: readonly string[]) => canRead(command, options.readableFile)
  const firstThatWorks = async <T extends { command: string[] }>(candidates: T[]) => {
    for (const candidate of candidates) if (await works(candidate.command)) return candidate
    return null
  }
  const isRoot = process.getuid?.() === 0
  const limits = await firstThatWorks(await resourceLimits(options.limits))
  const rights = await firstThatWorks(await fewerRights(isRoot))
  const spaces = await firstThatWorks(await namespaces(isRoot))
  // Namespaces come before fewer rights because making them needs rights. The program that makes them stays, as the
  // parent of the worker, so it too is told to end with Herald.
  const command = [
    ...(spaces ? (rights?.endsWithParent ?? []) : []),
    ...[spaces, rights, limits].flatMap((wall) => wall?.command ?? []),
  ]
  const hold = await works(command)
  return {
    command: hold ? command : [],
    isolation: {
      network: hold && (spaces?.network ?? false),
      processes: hold && (spaces?.processes ?? false),
      noNewPrivileges: hold && rights !== null,
      userId: hold ? (rights?.userId ?? null) : null,
      resourceLimits: hold && limits !== null,
      watched: processUsage(process.pid) !== null,
    },
  }
}

async function resourceLimits({ cpuSeconds, memoryBytes }: ResourceLimits) {
  const prlimit = await findProgram('prlimit')
  if (!prlimit) return []
  const flags = [
    `--cpu=${cpuSeconds}`,
    '--fsize=67108864',
    '--nofile=64',
    '--core=0',
    `--data=${memoryBytes}`,
  ]
  return [{ command: [prlimit, ...flags] }]
}

async function fewerRights(isRoot: boolean) {
  const setpriv = await findProgram('setpriv')
  if (!setpriv) return []
  // The signal ends a worker also when Herald is killed and cannot do it.
  const endsWithParent = [setpriv, '--pdeathsig=KILL']
  const plain = [...endsWithParent, '--no-new-privs']
  const nobody = [...plain, `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
  const asNobody = isRoot ? [{ command: nobody, userId: NOBODY, endsWithParent }] : []
  return [...asNobody, { command: plain, userId: null, endsWithParent }]
}

async function namespaces(isRoot: boolean) {
  const unshare = await findProgram('unshare')
  if (!unshare) return []
  const asUser = isRoot ? [] : ['--user', '--map-current-user']
  return NAMESPACES.map(({ flags, ...what }) => ({
    ...what,
    command: [unshare, ...asUser, ...flags],
  }))
}

async function canRead(command: readonly string[], file: string): Promise<boolean> {
  const [program, ...args] = [...command, process.execPath]
  const script = 'require("node:fs").readFileSync(process.argv[1])'
  try {
    await run(program, [...args, '-e', script, file], { env: {}, cwd: '/', timeout: PROBE_MS })
    return true
  } catch {
    return false
  }
}

type ResourceLimits = { cpuSeconds: number; memoryBytes: number }
