import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { cacheFolder } from '@herald/local/cache-folder'
import { claimFolder } from '@herald/local/claim-folder'
import { installProgram } from '@herald/local/install-program'
import { lastLines, runCommand } from '@herald/local/run-command'
import { StartRefused } from '@herald/local/start-refused'

/** The release that is built. */
const HELM_VERSION = '3.19.0'
const BUILD_DEADLINE_MS = 900_000
const FAILURE_COUNTS_MS = 600_000

/**
 * Finds Helm 3 or builds it with the Go compiler of this machine: the path in `HERALD_HELM`, the PATH, the cache,
 * `go install`. Of processes that need one at the same time, one builds and the others wait; what failed is not tried
 * again for ten minutes. Answers the reason when there is none to be had.
 */
export async function findHelm(
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ path: string } | { reason: string }> {
  const named = env['HERALD_HELM'] ?? ''
  if (named !== '')
    return (await isHelm(named))
      ? { path: named }
      : { reason: `HERALD_HELM is ${named}, not Helm 3` }
  if (await isHelm('helm')) return { path: 'helm' }
  const folder = join(cacheFolder(env), 'helm')
  const program = join(folder, 'helm')
  if (existsSync(program) && (await isHelm(program))) return { path: program }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const release = await waitForTurn(folder)
  try {
    if (existsSync(program) && (await isHelm(program))) return { path: program }
    const failureFile = join(folder, 'build-failed')
    const known = recentFailure(failureFile)
    const failure = known ?? (await build(folder, env))
    if (failure === undefined) return { path: program }
    if (known === undefined) writeFileSync(failureFile, failure)
    return { reason: failure }
  } finally {
    await release()
  }
}

/** What the last build failed of, while it is not worth trying again. */
function recentFailure(file: string): string | undefined {
  const isRecent = existsSync(file) && Date.now() - statSync(file).mtimeMs < FAILURE_COUNTS_MS
  return isRecent ? readFileSync(file, 'utf8') : undefined
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
async function build(folder: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { code } = await runCommand(['go', 'env', 'GOVERSION'], { env })
  if (code !== 0) return 'there is no Helm, and no Go compiler to build it with'
  const module = `helm.sh/helm/v3/cmd/helm@v${HELM_VERSION}`
  process.stderr.write(`Building ${module}; this takes some minutes, once.\n`)
  let failure: string | undefined = 'the Helm that was built does not run'
  const path = await installProgram(folder, async (workFolder) => {
    const result = await runCommand(['go', 'install', '-trimpath', module], {
      env: { ...env, CGO_ENABLED: '0', GOBIN: workFolder },
      timeoutMs: BUILD_DEADLINE_MS,
      // Outside of any Go module, whose own settings would count otherwise.
      cwd: workFolder,
    })
    if (result.code === 0) return join(workFolder, 'helm')
    failure = `Helm could not be built: ${lastLines(result.output)}`
    return undefined
  })
  return path !== undefined && (await isHelm(path)) ? undefined : failure
}

async function isHelm(program: string): Promise<boolean> {
  const { code, output } = await runCommand([program, 'version', '--short'], { timeoutMs: 10_000 })
  return code === 0 && output.startsWith('v3.')
}
