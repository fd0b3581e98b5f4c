// Runs a command in this repository with everything it needs: `node scripts/with-install.mjs COMMAND [ARGUMENT …]`.
// Installs the dependencies when they are missing or not those of package-lock.json, then runs the command with
// node_modules/.bin first on the PATH. There lies the Node that Herald needs (a devDependency), so this file has to
// run on an older one: plain JavaScript, Node 20 or later. It writes to standard error only.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const programs = join(root, 'node_modules', '.bin')
const node = join(root, 'node_modules', 'node', 'bin', 'node')
const lockFile = join(root, '.cache', 'install.pid')

const [command, ...args] = process.argv.slice(2)
if (command === undefined) fail('Usage: node scripts/with-install.mjs COMMAND [ARGUMENT …]')
if (!isInstalled()) await installOnce()
if (!existsSync(node)) {
  fail(
    'Node 24 is missing from node_modules: the install script of the package "node" did not run. Allow install ' +
      'scripts ("npm config get ignore-scripts" has to be false), then run "npm ci" and try again.',
  )
}
run(command, args)

/** npm notes in node_modules/.package-lock.json what it has installed, and does so last. */
function isInstalled() {
  const wanted = packagesOf('package-lock.json')
  const present = packagesOf(join('node_modules', '.package-lock.json'))
  if (wanted === undefined || present === undefined) return false
  const isRight = (path) =>
    present[path] === undefined
      ? wanted[path].optional === true
      : present[path].version === wanted[path].version
  return Object.keys(wanted)
    .filter((path) => path.includes('node_modules/'))
    .every(isRight)
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages
  } catch {
    return undefined
  }
}

/** Two commands started together on a fresh clone: one installs, the other waits and finds it done. */
async function installOnce() {
  mkdirSync(join(root, '.cache'), { recursive: true })
  for (;;) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (!isInstallerAlive()) rmSync(lockFile, { force: true })
    else await wait(200)
  }
  try {
    if (!isInstalled()) install()
  } finally {
    rmSync(lockFile, { force: true })
  }
}

function isInstallerAlive() {
  try {
    process.kill(Number(readFileSync(lockFile, 'utf8')), 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function install() {
  process.stderr.write('Installing the dependencies (npm ci); this takes about a minute.\n')
  // Warnings are left out: the one about the version of Node is answered by the Node that is installed here.
  const { status, error } = spawnSync(
    'npm',
    ['ci', '--loglevel=error', '--no-audit', '--no-fund', '--ignore-scripts=false'],
    {
      cwd: root,
      // npm replaces node_modules, so it must not run on the Node in there.
      env: { ...process.env, PATH: withoutPrograms(process.env.PATH) },
      stdio: ['ignore', 2, 2],
    },
  )
  if (status !== 0) {
    fail(
      `npm ci did not work${error ? ` (${error.message})` : ''}. It needs the npm registry and Node 20 or later.`,
    )
  }
}

function withoutPrograms(path = '') {
  const isOther = (folder) => !folder.startsWith(root) || !folder.includes('node_modules')
  return path.split(delimiter).filter(isOther).join(delimiter)
}

function run(program, programArgs) {
  const PATH = [programs, withoutPrograms(process.env.PATH)].join(delimiter)
  const child = spawn(program, programArgs, {
    cwd: root,
    env: { ...process.env, PATH },
    stdio: 'inherit',
  })
  child.on('error', (error) => fail(`${program} could not be run: ${error.message}`))
  // The command decides what a signal means and when it is done; this process only passes it on.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // Ctrl-C reaches the command from the terminal; a SIGINT sent to this process alone would reach nobody else.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  const watch = watchParent(() => child.kill('SIGTERM'))
  child.on('exit', (code, signal) => {
    clearInterval(watch)
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}

/** Ends the command when the npm that started it was killed, because then nobody is left who could stop it. */
function watchParent(end) {
  const parent = process.ppid
  if (process.env.npm_lifecycle_event === undefined) return undefined
  return setInterval(() => process.ppid === parent || end(), 500)
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
