import { randomUUID } from 'node:crypto'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { takeOver } from './leftover.ts'
import { ensureNatsServer } from './nats-server.ts'
import { runCommand } from './run-command.ts'
import { startServer, type ServerProcess } from './server-process.ts'

/** A running nats-server with JetStream. */
export type NatsProcess = ServerProcess

const STOP_STEPS = [
  ['SIGTERM', 10_000],
  ['SIGKILL', 5_000],
] as const

// The server ends when its Herald is killed, where the system can do that (see `server-identity.ts`).
const ENDS_WITH_PARENT = ['setpriv', '--pdeathsig', 'TERM']

/**
 * Starts nats-server with JetStream on 127.0.0.1 and waits until it answers. Streams are kept in `dataDir`, which
 * survives a kill of this process: the next start stops a server that still runs on it. `binary` is the program to
 * run; without it `ensureNatsServer` finds one. `settings` are further lines of its configuration, such as accounts.
 */
export async function startNats(options: {
  dataDir: string
  port?: number
  binary?: string
  settings?: string
  log?: (line: string) => void
}): Promise<NatsProcess> {
  const { log = () => {}, settings = '' } = options
  const binary = options.binary ?? (await ensureNatsServer({ log }))
  mkdirSync(options.dataDir, { recursive: true })
  const dataDir = realpathSync(options.dataDir)
  const configFile = join(dataDir, 'nats.conf')
  const pidFile = join(dataDir, 'nats.pid')
  await takeOver({
    name: 'nats-server',
    dataDir,
    pidFile,
    isServer: (commandLine) => commandLine.includes(` -c ${configFile}`),
    stopSteps: STOP_STEPS,
    log,
  })
  const endsWithParent = (await runCommand([...ENDS_WITH_PARENT, binary, '--version'])).code === 0
  // The name tells this server from any other that may answer on the port.
  const serverName = `herald-${randomUUID()}`
  return startServer(
    {
      name: 'nats-server',
      logFile: join(dataDir, 'server.log'),
      stopSteps: STOP_STEPS,
      deadlineMs: 60_000,
      command: (port) => {
        writeFileSync(configFile, configuration({ dataDir, pidFile, port, serverName, settings }))
        return [...(endsWithParent ? ENDS_WITH_PARENT : []), binary, '-c', configFile]
      },
      url: (port) => `nats://127.0.0.1:${port}`,
      isReady: async (port) => (await natsGreeting(port)).includes(serverName),
      passingFailure: /$^/,
    },
    options.port,
  )
}

/**
 * Unless the settings say otherwise no password, and no TLS and no monitoring port: only programs of this machine reach it, as with the embedded Postgres.
 * JSON strings are valid in nats-server's configuration, so any path is quoted right.
 */
function configuration(server: {
  dataDir: string
  pidFile: string
  port: number
  serverName: string
  settings: string
}): string {
  return [
    `listen: ${JSON.stringify(`127.0.0.1:${server.port}`)}`,
    `server_name: ${JSON.stringify(server.serverName)}`,
    `pid_file: ${JSON.stringify(server.pidFile)}`,
    `jetstream { store_dir: ${JSON.stringify(join(server.dataDir, 'jetstream'))} }`,
    server.settings,
    '',
  ].join('\n')
}

/** Answers the first line that the server at a port of 127.0.0.1 sends, `INFO {…}`; empty when there is none within 2 seconds. */
export function natsGreeting(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port })
    let text = ''
    const finish = (line: string) => {
      socket.destroy()
      resolve(line)
    }
    socket.setTimeout(2_000, () => finish(''))
    socket.once('error', () => finish(''))
    socket.once('close', () => finish(''))
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8')
      const [line, rest] = text.split('\r\n')
      if (line !== undefined && rest !== undefined) finish(line.startsWith('INFO ') ? line : '')
    })
  })
}
