import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { media } from '@herald/contracts/media'
import { freePorts } from '@herald/local/free-port'
import { startNats } from '@herald/local/nats'
import { migrateOwn } from '@herald/local/services'
import { connectBus } from '@herald/service/bus'
import { createLogger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { temporaryPostgres } from './temporary-postgres.ts'

/** The media service in a process of its own, with files in a folder, and a client of it. */
export async function mediaProcess() {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'herald-bench-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const postgres = stack.use(await temporaryPostgres())
  const nats = await startNats({ dataDir: join(folder, 'nats') })
  stack.defer(() => nats.stop())
  await migrateOwn('media', postgres.url)
  const [filesPort] = await freePorts(1)
  const main = new URL('../services/media/src/main.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      LOG_LEVEL: 'error',
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      RPC_SECRET: randomBytes(32).toString('base64'),
      FILES_PORT: String(filesPort),
      STORAGE: 'disk',
      STORAGE_DIR: join(folder, 'storage'),
      STORAGE_SIGNING_KEY: randomBytes(32).toString('base64'),
      WORK_DIR: folder,
      ALLOW_PRIVATE_IMPORTS: 'true',
      DESCRIBER: 'off',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  stack.defer(() => stop(child))
  const logger = createLogger({ service: 'bench', level: 'silent' })
  const bus = connectBus({ natsUrl: nats.url, name: 'bench', logger })
  stack.defer(() => bus.close())
  const client = rpcClient(media, { bus, secret: '', logger })
  await untilItAnswers(child, () =>
    client.usage({ organizationId: 'org_00000000000000000000000000' }),
  )
  const moved = stack.move()
  return {
    media: client,
    folder,
    /** The most memory that the process has had so far, in bytes. */
    async peakMemory(): Promise<number> {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

async function untilItAnswers(child: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  while (child.exitCode === null) {
    const isThere = await ask().then(
      () => true,
      () => false,
    )
    if (isThere) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('The media service did not start.')
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}
