import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findRunning, type RunFile } from '@herald/local/run-file'

const UNLIMITED = {
  apiAccess: true,
  requestsPerMinute: null,
  requestsPerMonth: null,
  postsPerMonth: null,
}
/** So that nothing is refused; everything is counted all the same. */
const UNLIMITED_PLANS = Object.fromEntries(
  ['FREE', 'PRO', 'TEAM', 'ENTERPRISE'].map((plan) => [plan, UNLIMITED]),
)

/** The embedded stack in a process of its own, on a folder that goes away with it. */
export async function stackProcess(
  env: Record<string, string> = {},
): Promise<AsyncDisposable & { run: RunFile; dataDir: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'herald-bench-'))
  const plansFile = join(folder, 'plans.json')
  await writeFile(plansFile, JSON.stringify(UNLIMITED_PLANS))
  const script = new URL('../libs/local/src/start.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script], {
    env: {
      ...process.env,
      ...env,
      HERALD_DATA_DIR: join(folder, 'data'),
      HERALD_PLANS_FILE: plansFile,
      PORT: '0',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const dataDir = join(folder, 'data')
  const run = await waitForRun(dataDir, child)
  return {
    run,
    dataDir,
    async [Symbol.asyncDispose]() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function waitForRun(folder: string, child: ChildProcess): Promise<RunFile> {
  while (child.exitCode === null) {
    const run = await findRunning(folder)
    if (run) return run
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The stack did not start.')
}
