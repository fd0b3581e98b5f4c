import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { natsGreeting } from '@herald/local/nats'
import { startContainer } from './container.ts'
import type { TestNats } from './nats.ts'
import { temporaryFolder } from './temporary-folder.ts'

const CONFIGURATION = 'listen: "0.0.0.0:4222"\njetstream { store_dir: "/data/jetstream" }\n'

/**
 * A nats-server with JetStream in a container, whose data are in a folder that the test sees. `settings` are further
 * lines of its configuration.
 */
export async function natsInContainer(
  settings = '',
  env: NodeJS.ProcessEnv = process.env,
): Promise<TestNats> {
  const folder = temporaryFolder()
  const dataDir = folder.path
  // A test may have emptied or removed the folder.
  const configure = () => {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(join(dataDir, 'nats.conf'), `${CONFIGURATION}${settings}\n`)
  }
  configure()
  const server = await startContainer({
    image: env['HERALD_TEST_NATS_IMAGE'] || 'nats:2.14-alpine',
    inner: 4222,
    prepare: (container) =>
      container
        .withCommand(['--config', '/data/nats.conf'])
        // Its files must be this user's to remove.
        .withUser(`${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`)
        .withBindMounts([{ source: dataDir, target: '/data' }]),
    isReady: async (port) => (await natsGreeting(port)) !== '',
  })
  const { port, stop, pause, resume } = server
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    dataDir,
    stop,
    kill: () => server.kill('SIGKILL'),
    async start() {
      configure()
      await server.start()
    },
    pause,
    resume,
    reload: () => server.signal('SIGHUP'),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}
