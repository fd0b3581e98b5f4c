import { randomUUID } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './run-command.ts'
import { startServer, type ServerProcess } from './server-process.ts'

const STOP_STEPS = [
  ['SIGTERM', 5_000],
  ['SIGKILL', 5_000],
] as const

// The server ends when its Herald is killed, where the system can do that (see `server-identity.ts`).
const ENDS_WITH_PARENT = ['setpriv', '--pdeathsig', 'TERM']

/**
 * Starts versitygw, an S3 server on a folder, on 127.0.0.1 and waits until it answers. Objects and what is known of
 * them are kept in `dataDir`. `binary` is the program to run, as `ensureVersitygw` answers it.
 */
export async function startVersitygw(options: {
  dataDir: string
  binary: string
  accessKey: string
  secretKey: string
  region: string
  port?: number
}): Promise<ServerProcess> {
  const { binary, accessKey, secretKey, region } = options
  mkdirSync(options.dataDir, { recursive: true })
  const dataDir = realpathSync(options.dataDir)
  // Metadata in files of its own: not every file system keeps extended attributes.
  const [objects, metadata] = [join(dataDir, 'objects'), join(dataDir, 'metadata')]
  mkdirSync(objects, { recursive: true })
  mkdirSync(metadata, { recursive: true })
  const endsWithParent = (await runCommand([...ENDS_WITH_PARENT, binary, '--version'])).code === 0
  // The path tells this server from any other that may answer on the port.
  const health = `/health-${randomUUID()}`
  const settings = { access: accessKey, secret: secretKey, region, health }
  const program = [...(endsWithParent ? ENDS_WITH_PARENT : []), binary, '--quiet']
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const backend = ['posix', '--sidecar', metadata, objects]
  return startServer(
    {
      name: 'versitygw',
      logFile: join(dataDir, 'server.log'),
      stopSteps: STOP_STEPS,
      deadlineMs: 60_000,
      command: (port) => [...program, '--port', `127.0.0.1:${port}`, ...flags, ...backend],
      url: (port) => `http://127.0.0.1:${port}`,
      isReady: (port) => answers(`http://127.0.0.1:${port}${health}`),
      passingFailure: /$^/,
    },
    options.port,
  )
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}
