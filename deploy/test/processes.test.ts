import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePorts } from '@herald/local/free-port'
import { testDatabase } from '@herald/testing/database'
import { eventually } from '@herald/testing/eventually'
import { testNats } from '@herald/testing/nats'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { describe, expect, test } from 'vitest'
import { type Container, helm, one, podSpecs, render } from './chart.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SERVICES = ['accounts', 'quota', 'channels', 'media', 'posts', 'publisher', 'gateway']

describe.skipIf(!helm.isThere)(`the processes that the chart starts${helm.note}`, () => {
  test.each(SERVICES)(
    '%s becomes ready with the environment of its pod, and stops in order',
    async (name) => {
      await using nats = await testNats()
      using folder = temporaryFolder()
      await using database = await testDatabase(`chart-${name}`, await migrationsOf(name))
      const container = await containerOf('Deployment', `release-herald-${name}`)
      const [port = 0, filesPort = 0] = await freePorts(2)
      await using child = run(container, {
        // What is different here than in a cluster: addresses.
        ...(name === 'gateway'
          ? { HOST: '127.0.0.1', PORT: String(port) }
          : {
              INTERNAL_HOST: '127.0.0.1',
              INTERNAL_PORT: String(port),
              DATABASE_URL: database.url,
            }),
        ...(name === 'media' && {
          FILES_HOST: '127.0.0.1',
          FILES_PORT: String(filesPort),
          STORAGE_DIR: folder.path,
        }),
        NATS_URL: nats.url,
      })
      await eventually(
        async () => {
          for (const path of ['/healthz', '/readyz'])
            expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200)
        },
        { timeoutMs: 120_000 },
      )
      if (name === 'gateway') {
        const check = await containerOf('Pod', 'release-herald-test')
        await using asked = run(check, { API: `http://127.0.0.1:${port}` })
        expect(await asked.ended()).toBe(0)
      }
      expect(await child.stop()).toBe(0)
    },
    150_000,
  )

  test('the check of helm test fails when nothing answers as the API does', async () => {
    const check = await containerOf('Pod', 'release-herald-test')
    const [port = 0] = await freePorts(1)
    await using asked = run(check, { API: `http://127.0.0.1:${port}` })
    expect(await asked.ended()).toBe(1)
  })
})

async function containerOf(kind: string, name: string): Promise<Container> {
  const [pod] = podSpecs([one(await render('disk-values.yaml'), kind, name)])
  const [container] = pod?.spec.containers ?? []
  if (!container) throw new Error(`${kind} ${name} has no container.`)
  return container
}

/** Runs what a container runs, as its image would, with the container's environment and nothing else. */
function run({ args, env = [] }: Container, changes: Record<string, string>) {
  const given = env.map(({ name, value }) => [name, value ?? SECRETS[name] ?? ''])
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...Object.fromEntries(given), ...changes },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = async () => {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    return child.exitCode
  }
  return {
    ended,
    stop: () => (child.kill('SIGTERM'), ended()),
    [Symbol.asyncDispose]: () => end(child, ended),
  }
}

async function end(child: ChildProcess, ended: () => Promise<unknown>): Promise<void> {
  child.kill('SIGKILL')
  await ended()
}

const KEY = Buffer.alloc(32, 'x').toString('base64')
const SECRETS: Record<string, string> = {
  RPC_SECRET: KEY,
  API_KEY_PEPPER: KEY,
  CREDENTIALS_KEY: KEY,
  STORAGE_SIGNING_KEY: KEY,
}

/** Services export nothing, so their migrations are loaded by their place in the tree. */
async function migrationsOf(service: string): Promise<(url: string) => Promise<void>> {
  if (service === 'gateway') return () => Promise.resolve()
  const place = new URL(`../../services/${service}/src/migrate.ts`, import.meta.url)
  const { migrate } = (await import(place.href)) as { migrate: (url: string) => Promise<void> }
  return migrate
}
