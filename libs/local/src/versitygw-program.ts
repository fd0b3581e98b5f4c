import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { cacheFolder } from './cache-folder.ts'
import { claimFolder } from './claim-folder.ts'
import { installProgram } from './install-program.ts'
import { lastLines, runCommand } from './run-command.ts'
import { StartRefused } from './start-refused.ts'

/** The release that is built. */
export const VERSITYGW_VERSION = '1.8.0'

const BUILD_DEADLINE_MS = 300_000
const FAILURE_COUNTS_MS = 600_000

type Options = { env: NodeJS.ProcessEnv; log: (line: string) => void }

/**
 * Finds the S3 server versitygw or builds one with the Go compiler of this machine, and answers its path. In this
 * order: the path in `HERALD_VERSITYGW`, the PATH, the cache, `go install`, which takes about two minutes and is ended
 * after five. Of processes that need one at the same time, one builds and the others wait. Throws with what a person
 * can do when there is none to be had.
 */
export async function ensureVersitygw(
  options: Partial<Options> & Pick<Options, 'log'>,
): Promise<string> {
  const { log, env = process.env } = options
  const named = env['HERALD_VERSITYGW']
  if (named !== undefined && named !== '') {
    if (await isVersitygw(named, env)) return named
    throw new Error(`HERALD_VERSITYGW is ${named}, which is not a versitygw that runs here.`)
  }
  // A bare name is looked for on the PATH when it is started.
  if (await isVersitygw('versitygw', env)) return 'versitygw'
  const folder = join(cacheFolder(env), 'versitygw')
  const cached = join(folder, 'versitygw')
  if (existsSync(cached) && (await isVersitygw(cached, env))) return cached
  return buildOnce(folder, { env, log })
}

/** Builds it unless another process does, just did, or could not a moment ago. */
async function buildOnce(folder: string, options: Options): Promise<string> {
  const program = join(folder, 'versitygw')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const release = await waitForTurn(folder)
  try {
    if (existsSync(program) && (await isVersitygw(program, options.env))) return program
    const failureFile = join(folder, 'build-failed')
    const failure = recentFailure(failureFile) ?? (await build(folder, options))
    if (failure === undefined) return program
    if (recentFailure(failureFile) === undefined) writeFileSync(failureFile, failure)
    throw new Error(
      `There is no versitygw: ${failure} ` +
        'Install it (https://github.com/versity/versitygw/releases) or set HERALD_VERSITYGW to its path.',
    )
  } finally {
    await release()
  }
}

async function waitForTurn(folder: string): Promise<() => Promise<void>> {
  const deadline = Date.now() + BUILD_DEADLINE_MS + 30_000
  for (;;) {
    try {
      return await claimFolder(folder)
    } catch (error) {
      if (!(error instanceof StartRefused) || Date.now() > deadline) throw error
    }
    await wait(200)
  }
}

/** Answers why there is no program afterwards, or undefined when there is one. */
async function build(folder: string, { env, log }: Options): Promise<string | undefined> {
  const { code, output: goVersion } = await runCommand(['go', 'env', 'GOVERSION'], { env })
  if (code !== 0) return 'it is not installed, and there is no Go compiler to build it with.'
  const module = `github.com/versity/versitygw/cmd/versitygw@v${VERSITYGW_VERSION}`
  log(`Building ${module} with ${goVersion}; this takes about two minutes, once.`)
  let failure = 'what was built does not run.'
  const path = await installProgram(folder, async (workFolder) => {
    const result = await runCommand(['go', 'install', '-trimpath', module], {
      env: { ...env, CGO_ENABLED: '0', GOBIN: workFolder },
      timeoutMs: BUILD_DEADLINE_MS,
      // Outside of any Go module, whose own settings would count otherwise.
      cwd: workFolder,
    })
    if (result.code === 0) return join(workFolder, 'versitygw')
    failure = `it could not be built: ${lastLines(result.output)}`
    return undefined
  })
  if (path !== undefined && (await isVersitygw(path, env))) return undefined
  log(failure)
  return failure
}

/** What the last build failed of, while it is not worth trying again. */
function recentFailure(file: string): string | undefined {
  try {
    if (Date.now() - statSync(file).mtimeMs < FAILURE_COUNTS_MS) return readFileSync(file, 'utf8')
    rmSync(file, { force: true })
    return undefined
  } catch {
    return undefined
  }
}

async function isVersitygw(program: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { code, output } = await runCommand([program, '--help'], { env, timeoutMs: 10_000 })
  return code === 0 && output.includes('Versity S3 Gateway')
}
