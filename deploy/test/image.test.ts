import { createServer } from 'node:http'
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DOCKER = join(ROOT, 'deploy/docker')

describe('the health check of an image', () => {
  test.each([
    { service: 'posts', port: 'INTERNAL_PORT', path: '/readyz', status: 200, code: 0 },
    { service: 'posts', port: 'INTERNAL_PORT', path: '/readyz', status: 503, code: 1 },
    { service: 'gateway', port: 'PORT', path: '/readyz', status: 200, code: 0 },
    { service: 'gateway', port: 'PORT', path: '/readyz', status: 503, code: 1 },
    { service: 'sandbox', port: 'PORT', path: '/healthz', status: 200, code: 0 },
  ])('of $service asks $path at $port, and says $code to $status', async (each) => {
    const asked: string[] = []
    const server = createServer(({ url = '' }, response) => {
      asked.push(url)
      response.writeHead(each.status).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    expect(await healthCheck({ SERVICE: each.service, [each.port]: String(port) })).toBe(each.code)
    expect(asked).toEqual([each.path])
    server.close()
    server.closeAllConnections()
    expect(await healthCheck({ SERVICE: each.service, [each.port]: String(port) })).toBe(1)
  })
})

describe('what images are built from', () => {
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  const allowed = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const isIn = (path: string) =>
    allowed.some((part) => path === part || path.startsWith(`${part}/`))

  test('is what is named, and no secret, history or data is', () => {
    expect(lines.find((line) => !line.startsWith('#'))).toBe('*')
    for (const path of [
      '.env',
      '.git/config',
      '.herald/run.json',
      'platforms.env',
      'node_modules/a',
    ])
      expect(isIn(path)).toBe(false)
    for (const line of ['**/node_modules', '**/test']) expect(lines).toContain(line)
  })

  test('has every workspace, without which npm ci refuses the lock file', () => {
    const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      workspaces: string[]
    }
    expect(workspaces).toContain('services/*')
    for (const workspace of workspaces)
      expect(
        isIn(workspace.replace('*', 'one/package.json').replace(/^\w+$/, '$&/package.json')),
      ).toBe(true)
    const assembled = readFileSync(join(DOCKER, 'assemble.mjs'), 'utf8').matchAll(
      /'(deploy\/.+?)'/g,
    )
    const copied = [...assembled].map(([, path = '']) => path)
    expect(copied).toContain('deploy/migrate')
    for (const path of ['package-lock.json', 'deploy/docker/assemble.mjs', ...copied])
      expect(isIn(path)).toBe(true)
  })
})

describe('what is in an image', () => {
  test('is the service, the packages of this tree that it needs, and what others they need', () => {
    using folder = temporaryFolder()
    const image = assemble(folder.path)
    for (const path of [
      'services/one/src/main.ts',
      'libs/telemetry/package.json',
      'deploy/migrate/main.ts',
    ])
      expect(existsSync(join(image, path))).toBe(true)
    expect(existsSync(join(image, 'libs/three'))).toBe(false)
    expect(readFileSync(join(image, 'main.ts'), 'utf8')).toBe(
      `import './services/one/src/main.ts'\n`,
    )
    expect(readJson(join(image, 'services/one/package.json'))).not.toHaveProperty('devDependencies')
  })

  test('is listed once, with digests and licenses, and is the same for the same sources', () => {
    using folder = temporaryFolder()
    using other = temporaryFolder()
    const image = assemble(folder.path)
    const bill = readJson(join(image, 'sbom.cdx.json'))
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: {
        timestamp: '2023-11-14T22:13:20.000Z',
        component: { type: 'application', name: '@herald/one', version: '1.2.3' },
      },
      components: [
        {
          type: 'library',
          name: '@scope/there',
          version: '4.5.6',
          purl: 'pkg:npm/%40scope/there@4.5.6',
          hashes: [{ alg: 'SHA-512', content: 'ab'.repeat(64) }],
          licenses: [{ license: { name: 'MIT' } }],
        },
      ],
    })
    const again = assemble(other.path)
    for (const path of ['sbom.cdx.json', 'package.json', 'main.ts', 'services/one/package.json']) {
      expect(readFileSync(join(again, path), 'utf8')).toBe(readFileSync(join(image, path), 'utf8'))
      expect(statSync(join(image, path)).mtimeMs).toBe(1_700_000_000_000)
    }
  })

  test('is refused when the service was not installed', () => {
    using folder = temporaryFolder()
    expect(() => assemble(folder.path, 'services/missing')).toThrow(
      'services/missing is not installed',
    )
  })
})

async function healthCheck(env: Record<string, string>): Promise<number> {
  const script = join(DOCKER, 'healthcheck.mjs')
  const run = promisify(execFile)(process.execPath, [script], { env })
  return run.then(
    () => 0,
    (error: { code: number }) => error.code,
  )
}

/** A tree as it is after `npm ci` for one service, small, and the image's files that are made of it. */
function assemble(folder: string, service = 'services/one'): string {
  const integrity = `sha512-${Buffer.from('ab'.repeat(64), 'hex').toString('base64')}`
  const found = { version: '4.5.6', license: 'MIT', integrity }
  const tree: Record<string, unknown> = {
    'package.json': { name: 'tree', version: '1.2.3', license: 'Apache-2.0' },
    'services/one/package.json': { name: '@herald/one', devDependencies: { vitest: '1' } },
    'services/one/src/main.ts': '',
    'services/one/src/migrate.ts': '',
    'libs/telemetry/package.json': { name: '@herald/telemetry' },
    'libs/three/package.json': { name: '@herald/three' },
    'deploy/migrate/main.ts': '',
    'deploy/provision/main.ts': '',
    'deploy/nats/teams.ts': '',
    'deploy/docker/healthcheck.mjs': '',
    'node_modules/@scope/there/package.json': { name: '@scope/there' },
    'node_modules/other/node_modules/@scope/there/package.json': { name: '@scope/there' },
    'node_modules/.package-lock.json': {
      packages: {
        'node_modules/@scope/there': found,
        'node_modules/other/node_modules/@scope/there': found,
        'node_modules/for-another-processor': { version: '7.8.9' },
        'node_modules/@herald/one': { link: true },
      },
    },
  }
  for (const [path, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(
      join(folder, path),
      typeof content === 'string' ? content : JSON.stringify(content),
    )
  }
  mkdirSync(join(folder, 'node_modules/@herald'))
  symlinkSync('../../services/one', join(folder, 'node_modules/@herald/one'))
  symlinkSync('../../libs/telemetry', join(folder, 'node_modules/@herald/telemetry'))
  const target = join(folder, 'image')
  const args = [join(DOCKER, 'assemble.mjs'), service, target, '1700000000']
  execFileSync(process.execPath, args, { cwd: folder, stdio: 'pipe' })
  return target
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
