import { spawn } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { freePorts } from './free-port.ts'
import { openServerLog, type ServerLog } from './server-log.ts'

/** A server of the embedded stack that accepts connections. */
export type ServerProcess = {
  url: string
  port: number
  pid: number
  /** Ends it in its own orderly way, harder when that takes too long. May be called again. */
  stop(): Promise<void>
  /** Sends a signal and returns at once; `exited` tells when it is gone. */
  kill(signal: NodeJS.Signals): void
  /** Settles when the process has ended, for whatever reason. */
  exited: Promise<void>
}

/** A signal, and how many milliseconds the process then has to end before the next one is sent. */
export type StopStep = readonly [signal: NodeJS.Signals, graceMs: number]

/** How a kind of server is started: everything that differs between one server and another. */
export type ServerKind = {
  name: string
  logFile: string
  stopSteps: readonly StopStep[]
  deadlineMs: number
  command(port: number): readonly string[]
  url(port: number): string
  isReady(port: number): Promise<boolean>
  /** Output of a server that failed for a reason that passes by itself, so that it is started again. */
  passingFailure: RegExp
}

type Spawned = Omit<ServerProcess, 'url' | 'port'> & { hasEnded(): boolean; output(): string }

const MAX_STARTS = 50

/**
 * Starts a server and waits until it accepts connections. Without `port` it gets a free one, and another when a
 * second program took that one first. Throws with the end of the server's output when it does not start.
 */
export async function startServer(kind: ServerKind, port?: number): Promise<ServerProcess> {
  for (let start = 1; ; start++) {
    const usedPort = port ?? (await freePorts(1))[0] ?? 0
    const server = spawnServer(kind, usedPort)
    const failure = await waitUntilReady(kind, server, usedPort)
    if (failure === undefined) {
      const { pid, stop, kill, exited } = server
      return { url: kind.url(usedPort), port: usedPort, pid, stop, kill, exited }
    }
    const output = server.output()
    const portTaken = port === undefined && /address already in use/i.test(output)
    const passing = portTaken || kind.passingFailure.test(output)
    if (!passing || start === MAX_STARTS) {
      throw new Error(`${kind.name} ${failure}. Its last words:\n${output.slice(-2000)}`)
    }
    await wait(100)
  }
}

/** Sends the signals of `steps` one after the other until the process is gone. */
export async function endProcess(
  target: { kill(signal: NodeJS.Signals): void; hasEnded(): boolean },
  steps: readonly StopStep[],
): Promise<void> {
  for (const [signal, graceMs] of steps) {
    if (target.hasEnded()) return
    target.kill(signal)
    const deadline = Date.now() + graceMs
    while (!target.hasEnded() && Date.now() < deadline) await wait(10)
  }
}

function spawnServer(kind: ServerKind, port: number): Spawned {
  const [program = '', ...args] = kind.command(port)
  // A file and not a pipe: a pipe breaks when this process is killed, and the server has to end in order then.
  const log = openServerLog(kind.logFile)
  const child = spawn(program, args, {
    stdio: ['ignore', log.descriptor, log.descriptor],
    // A process group of its own: Ctrl-C in the terminal reaches Herald alone, which then stops its parts in order.
    detached: true,
  })
  log.close()
  const ending = watchEnd(child)
  const kill = (signal: NodeJS.Signals) => {
    if (!ending.hasEnded()) child.kill(signal)
  }
  return {
    pid: child.pid ?? 0,
    exited: ending.exited,
    hasEnded: ending.hasEnded,
    kill,
    stop: () => endProcess({ kill, hasEnded: ending.hasEnded }, kind.stopSteps),
    output: () => outputOf(log, ending.spawnFailure()),
  }
}

function watchEnd(child: ReturnType<typeof spawn>) {
  let ended = false
  let failure = ''
  const exited = new Promise<void>((resolve) => {
    const end = () => {
      ended = true
      resolve()
    }
    child.once('exit', end)
    child.on('error', (error) => {
      failure = error.message
      if (child.pid === undefined) end()
    })
  })
  return { exited, hasEnded: () => ended, spawnFailure: () => failure }
}

function outputOf(log: ServerLog, failure: string): string {
  return [failure, log.read()].filter((text) => text !== '').join('\n')
}

/** Answers why the server is not ready, or undefined when it is. A server that is not ready has ended then. */
async function waitUntilReady(
  kind: ServerKind,
  server: Spawned,
  port: number,
): Promise<string | undefined> {
  const deadline = Date.now() + kind.deadlineMs
  while (!server.hasEnded() && Date.now() < deadline) {
    if (await kind.isReady(port)) return undefined
    await wait(20)
  }
  if (server.hasEnded()) return 'ended while it was starting'
  await server.stop()
  return `did not become ready within ${kind.deadlineMs / 1000} seconds`
}
