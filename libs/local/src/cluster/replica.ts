import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { DATABASE_OWNERS, Env } from '../services.ts'
import { askReady } from './balancer.ts'

/** A service that runs as processes of its own. */
export type ReplicatedService = (typeof DATABASE_OWNERS)[number] | 'gateway'

/** One process of a service. */
export type Replica = {
  name: ReplicatedService
  /** Where it tells whether it is ready. */
  readyUrl: string
  /** Resolves when it is ready for the first time; rejects when it ends before. */
  untilReady: () => Promise<void>
  /** Tells it to end, as Kubernetes does; answers its exit code, or null when a signal ended it. */
  stop: () => Promise<number | null>
  /** Ends it at once, as a crash would. */
  kill: () => Promise<void>
}

const ASK_EVERY_MS = 50

/** A run that is broken off must not leave processes behind. */
const running = new Set<ChildProcess>()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/** Starts a process of a service that listens on the port. */
export function startReplica(name: ReplicatedService, port: number, env: Env): Replica {
  const main = new URL(`../../../../services/${name}/src/main.ts`, import.meta.url)
  const listen =
    name === 'gateway'
      ? { HOST: '127.0.0.1', PORT: String(port) }
      : { INTERNAL_HOST: '127.0.0.1', INTERNAL_PORT: String(port) }
  const child = spawn(process.execPath, [fileURLToPath(main)], {
    env: { ...process.env, ...env, ...listen },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  running.add(child)
  child.on('exit', () => running.delete(child))
  const readyUrl = `http://127.0.0.1:${port}/readyz`
  const end = async (signal: NodeJS.Signals) => {
    if (!hasEnded(child)) {
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    }
    return child.exitCode
  }
  return {
    name,
    readyUrl,
    untilReady: async () => {
      while ((await askReady(readyUrl)) !== 'yes') {
        if (hasEnded(child)) throw new Error(`A process of ${name} ended before it was ready.`)
        await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
      }
    },
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
