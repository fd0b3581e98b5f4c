import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { freePorts } from '../src/free-port.ts'
import { downloadNatsServer, NATS_SERVER_VERSION } from '../src/nats-server-download.ts'
import { ensureNatsServer } from '../src/nats-server.ts'

const binary = inject('natsServer')

/** An environment in which no compiler, no package manager and no cache is found, and nothing can be downloaded. */
async function bareEnvironment(folder: string): Promise<Record<string, string>> {
  const [closedPort = 0] = await freePorts(1)
  return {
    PATH: join(folder, 'bin'),
    HOME: folder,
    HERALD_NATS_DOWNLOAD_URL: `http://127.0.0.1:${closedPort}`,
  }
}

function collect(): { lines: string[]; log: (line: string) => void } {
  const lines: string[] = []
  return { lines, log: (line) => void lines.push(line) }
}

/** A site that has a release archive with a real nats-server in it. */
async function releaseSite(
  folder: string,
): Promise<AsyncDisposable & { url: string; sha256: string }> {
  const { platform, arch } = process
  const name = `nats-server-v${NATS_SERVER_VERSION}-${platform}-${arch === 'x64' ? 'amd64' : arch}`
  mkdirSync(join(folder, name))
  symlinkSync(binary, join(folder, name, 'nats-server'))
  spawnSync('tar', ['-chzf', `${name}.tar.gz`, name], { cwd: folder })
  const archive = readFileSync(join(folder, `${name}.tar.gz`))
  const sha256 = createHash('sha256').update(archive).digest('hex')
  const server = createServer((request, response) => {
    if (request.url === `/${name}.tar.gz`) response.end(archive)
    else if (request.url === '/SHA256SUMS') response.end(`${sha256}  ${name}.tar.gz\n`)
    else response.writeHead(404).end()
  })
  const [port = 0] = await freePorts(1)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${port}`,
    sha256,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

test('the program named by HERALD_NATS_SERVER is used before any other', async () => {
  const { lines, log } = collect()
  expect(await ensureNatsServer({ log, env: { HERALD_NATS_SERVER: binary, PATH: '' } })).toBe(
    binary,
  )
  expect(lines).toEqual([])
})

test('a HERALD_NATS_SERVER that is no nats-server is refused and nothing else is tried', async () => {
  const { lines, log } = collect()
  const env = { HERALD_NATS_SERVER: process.execPath }
  await expect(ensureNatsServer({ log, env })).rejects.toThrow('is not a nats-server')
  expect(lines).toEqual([])
})

test('a program on the PATH is used, and one there that does not run is passed over', async () => {
  using folder = temporaryFolder()
  const [broken, good] = [join(folder.path, 'broken'), join(folder.path, 'good')]
  mkdirSync(broken)
  mkdirSync(good)
  writeFileSync(join(broken, 'nats-server'), 'not a program', { mode: 0o755 })
  symlinkSync(binary, join(good, 'nats-server'))
  const { log } = collect()
  const env = { HOME: folder.path, PATH: `${join(folder.path, 'absent')}:${good}` }
  expect(await ensureNatsServer({ log, env })).toBe(join(good, 'nats-server'))
  const bare = await bareEnvironment(folder.path)
  await expect(ensureNatsServer({ log, env: { ...bare, PATH: broken } })).rejects.toThrow(
    'could not get it',
  )
})

test('a program in the cache is used without a word', async () => {
  using folder = temporaryFolder()
  const cached = join(folder.path, '.cache', 'herald', 'nats-server', 'nats-server')
  mkdirSync(join(cached, '..'), { recursive: true, mode: 0o700 })
  symlinkSync(binary, cached)
  const { lines, log } = collect()
  expect(await ensureNatsServer({ log, env: await bareEnvironment(folder.path) })).toBe(cached)
  expect(lines).toEqual([])
})

test('every way that fails says so in the log, and the error says what a person can do', async () => {
  using folder = temporaryFolder()
  const { lines, log } = collect()
  const ensuring = ensureNatsServer({ log, env: await bareEnvironment(folder.path) })
  await expect(ensuring).rejects.toThrow('set HERALD_NATS_SERVER to its path')
  expect(lines.join('\n')).toMatch(/Downloading .*\n.*download did not work.*\n.*no Go.*\n.*no apt/)
})

test('a release whose checksum is right is unpacked into the cache', async () => {
  using folder = temporaryFolder()
  await using site = await releaseSite(folder.path)
  const { log } = collect()
  const source = {
    folder: join(folder.path, 'cache'),
    env: { HERALD_NATS_DOWNLOAD_URL: site.url },
    log,
  }
  // Without a pinned checksum the one that the release publishes counts.
  const path = await downloadNatsServer(source, {})
  expect(path).toBe(join(folder.path, 'cache', 'nats-server'))
  expect(readdirSync(source.folder)).toEqual(['nats-server'])
  expect(await ensureNatsServer({ log, env: { HERALD_NATS_SERVER: path } })).toBe(path)
})

test('a release whose checksum is not the pinned one is never unpacked', async () => {
  using folder = temporaryFolder()
  await using site = await releaseSite(folder.path)
  const { lines, log } = collect()
  const source = {
    folder: join(folder.path, 'cache'),
    env: { HERALD_NATS_DOWNLOAD_URL: site.url },
    log,
  }
  expect(await downloadNatsServer(source)).toBeUndefined()
  expect(lines.at(-1)).toContain(`its SHA-256 is ${site.sha256} and should be`)
})

test('a cache that others may write to is not used', async () => {
  using folder = temporaryFolder()
  const shared = join(folder.path, '.cache', 'herald')
  mkdirSync(shared, { recursive: true })
  chmodSync(shared, 0o777)
  const { log, lines } = collect()
  const temporary = join(folder.path, 'tmp')
  mkdirSync(temporary)
  const env = { ...(await bareEnvironment(folder.path)), TMPDIR: temporary }
  await expect(ensureNatsServer({ log, env })).rejects.toThrow('could not get it')
  expect(lines[0]).toContain(temporary)
})
