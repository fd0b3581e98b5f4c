import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { cacheFolder } from './cache-folder.ts'
import { installNatsServerByApt } from './nats-server-apt.ts'
import { downloadNatsServer } from './nats-server-download.ts'
import { installNatsServerByGo } from './nats-server-go.ts'
import { runCommand } from './run-command.ts'

/**
 * Finds a nats-server or gets one, and answers its path. In this order: the path in `HERALD_NATS_SERVER`, the PATH,
 * the cache of an earlier run, the release on GitHub, the Go compiler, a Debian package. A program counts only if it
 * runs. Every step that does something says so in one line of `log`. Throws with what a person can do when
 * `HERALD_NATS_SERVER` names no nats-server, or when all ways have failed.
 */
export async function ensureNatsServer(options: {
  log: (line: string) => void
  env?: NodeJS.ProcessEnv
}): Promise<string> {
  const { log, env = process.env } = options
  const named = env['HERALD_NATS_SERVER']
  if (named !== undefined && named !== '') {
    if (await isNatsServer(named)) return named
    throw new Error(`HERALD_NATS_SERVER is ${named}, which is not a nats-server that runs here.`)
  }
  const onPath = findOnPath(env['PATH'] ?? '')
  if (onPath !== undefined && (await isNatsServer(onPath))) return onPath

  const folder = join(cacheFolder(env), 'nats-server')
  const cached = join(folder, 'nats-server')
  if (existsSync(cached) && (await isNatsServer(cached))) return cached

  log(`There is no nats-server on the PATH or in ${folder}; getting one.`)
  for (const obtain of [downloadNatsServer, installNatsServerByGo, installNatsServerByApt]) {
    const path = await obtain({ folder, env, log })
    if (path !== undefined && (await isNatsServer(path))) {
      log(`nats-server is ready: ${path}`)
      return path
    }
  }
  throw new Error(
    'Herald needs nats-server and could not get it. Install it (https://github.com/nats-io/nats-server/releases, ' +
      '"brew install nats-server" or "apt install nats-server") or set HERALD_NATS_SERVER to its path, then start again.',
  )
}

async function isNatsServer(path: string): Promise<boolean> {
  const { code, output } = await runCommand([path, '-v'], { timeoutMs: 10_000 })
  return code === 0 && output.includes('nats-server')
}

function findOnPath(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'nats-server'))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
