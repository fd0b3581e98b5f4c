import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { ensureVersitygw } from '../src/versitygw-program.ts'

const PROGRAM = '#!/bin/sh\necho "Versity S3 Gateway"\n'

/** A machine with a home and a PATH of its own, on which nothing is installed. */
function emptyMachine(folder: string) {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const lines: string[] = []
  const install = (name: string, script: string) =>
    writeFileSync(join(bin, name), script, { mode: 0o755 })
  return {
    env: { HOME: folder, PATH: bin },
    cache: join(folder, '.cache', 'herald', 'versitygw'),
    lines,
    log: (line: string) => void lines.push(line),
    install,
    /** A Go compiler that writes down that it was run, and then does what `work` says. */
    installGo: (work: string) =>
      install(
        'go',
        `#!/bin/sh\nif [ "$1" = env ]; then echo go1.26.0; exit; fi\necho "$@" >> '${folder}/builds'\n${work}\n`,
      ),
    builds: () => readFileSync(join(folder, 'builds'), 'utf8').trim().split('\n'),
  }
}

const BUILDS = `printf '#!/bin/sh\\necho "Versity S3 Gateway"\\n' > "$GOBIN/versitygw"; /bin/chmod 755 "$GOBIN/versitygw"`

test('the program named by HERALD_VERSITYGW is used, and one that is none is refused', async () => {
  using folder = temporaryFolder()
  const { env, log, install } = emptyMachine(folder.path)
  install('named', PROGRAM)
  const named = join(env.PATH, 'named')
  expect(await ensureVersitygw({ log, env: { ...env, HERALD_VERSITYGW: named } })).toBe(named)
  const wrong = { ...env, HERALD_VERSITYGW: process.execPath }
  await expect(ensureVersitygw({ log, env: wrong })).rejects.toThrow('is not a versitygw')
})

test('a program on the PATH is used without a word', async () => {
  using folder = temporaryFolder()
  const { env, log, lines, install } = emptyMachine(folder.path)
  install('versitygw', PROGRAM)
  expect(await ensureVersitygw({ log, env })).toBe('versitygw')
  expect(lines).toEqual([])
})

test('it is built once and then taken from the cache', async () => {
  using folder = temporaryFolder()
  const { env, log, lines, cache, installGo, builds } = emptyMachine(folder.path)
  installGo(BUILDS)
  for (const _ of [1, 2]) {
    expect(await ensureVersitygw({ log, env })).toBe(join(cache, 'versitygw'))
  }
  expect(builds()).toEqual([
    expect.stringMatching(/install -trimpath .*versitygw\/cmd\/versitygw@v\d+\.\d+\.\d+$/),
  ])
  expect(lines).toHaveLength(1)
  expect(readdirSync(cache)).toEqual(['versitygw'])
})

test('without a compiler the error says what a person can do', async () => {
  using folder = temporaryFolder()
  const { env, log } = emptyMachine(folder.path)
  await expect(ensureVersitygw({ log, env })).rejects.toThrow(
    /no Go compiler.*set HERALD_VERSITYGW to its path/,
  )
})

test('a build that failed is not tried again for a while', async () => {
  using folder = temporaryFolder()
  const { env, log, cache, installGo, builds } = emptyMachine(folder.path)
  installGo('echo "no way out"; exit 1')
  await expect(ensureVersitygw({ log, env })).rejects.toThrow('no way out')
  await expect(ensureVersitygw({ log, env })).rejects.toThrow('no way out')
  expect(builds()).toHaveLength(1)
  utimesSync(join(cache, 'build-failed'), new Date(0), new Date(0))
  installGo(BUILDS)
  expect(await ensureVersitygw({ log, env })).toBe(join(cache, 'versitygw'))
  expect(readdirSync(cache)).toEqual(['versitygw'])
})

test('of processes that need it at once one builds, and the others wait for it', async () => {
  using folder = temporaryFolder()
  const { env, cache, installGo, builds } = emptyMachine(folder.path)
  installGo(`/bin/sleep 1; ${BUILDS}`)
  const module = join(import.meta.dirname, '../src/versitygw-program.ts')
  const script = `import { ensureVersitygw } from ${JSON.stringify(module)}
    const path = await ensureVersitygw({ log: () => {} })
    process.stdout.write(path, () => process.exit())`
  const paths = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env })
      const [path] = await Promise.all([text(child.stdout), once(child, 'close')])
      return path
    }),
  )
  expect(paths).toEqual(paths.map(() => join(cache, 'versitygw')))
  expect(builds()).toHaveLength(1)
})
