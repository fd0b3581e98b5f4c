import { inject } from 'vitest'
import { startNats, type NatsProcess } from '@herald/local/nats'
import { usesContainers } from './infrastructure.ts'
import { temporaryFolder } from './temporary-folder.ts'
import './global-setup.ts'

/** A nats-server that a test may stop, wipe and start again at the same address. */
export type TestNats = AsyncDisposable & {
  url: string
  port: number
  dataDir: string
  /** Ends it at once, as a crash would. Its data stays. */
  kill: () => Promise<void>
  stop: () => Promise<void>
  /** Starts it again on its data and its port. */
  start: () => Promise<void>
  /** Freezes it: it holds its connections and says nothing more, until it is resumed or killed. */
  pause: () => Promise<void>
  resume: () => Promise<void>
  /** Has it read its configuration, `nats.conf` in its folder, again. */
  reload: () => Promise<void>
}

type Options = {
  /** Further lines of its configuration. With addresses of 127.0.0.1 among them it is no container in any case. */
  settings?: string
  /** Another program than that of the test run, and so no container either. */
  binary?: string
}

/** Starts a nats-server with JetStream of its own, in an empty folder. Disposing stops it and removes its data. */
export async function testNats(options: Options = {}): Promise<TestNats> {
  const { settings = '', binary } = options
  const isOfThisMachine = binary !== undefined || settings.includes('127.0.0.1')
  if (isOfThisMachine || !usesContainers()) return embedded(options)
  return (await import('./nats-container.ts')).natsInContainer(settings)
}

async function embedded(options: Options): Promise<TestNats> {
  const folder = temporaryFolder()
  const dataDir = folder.path
  const { settings = '', binary = inject('natsServer') } = options
  let server: NatsProcess = await startNats({ dataDir, binary, settings })
  const { url, port } = server
  return {
    url,
    port,
    dataDir,
    stop: () => server.stop(),
    async kill() {
      server.kill('SIGKILL')
      await server.exited
    },
    async start() {
      server = await startNats({ dataDir, port, binary, settings })
    },
    pause: () => Promise.resolve(server.kill('SIGSTOP')),
    resume: () => Promise.resolve(server.kill('SIGCONT')),
    reload: () => Promise.resolve(server.kill('SIGHUP')),
    async [Symbol.asyncDispose]() {
      await server.stop()
      folder[Symbol.dispose]()
    },
  }
}
