import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { eventually } from '@herald/testing/eventually'
import { fetchDocumented } from '@herald/testing/openapi-check'
import { afterAll, inject } from 'vitest'
import { findProcess } from '../src/process-info.ts'
import { findRunning, type RunFile } from '../src/run-file.ts'
import { killChild } from './world.ts'

type Env = Record<string, string | undefined>
export type Ended = { code: number | null; stdout: string; stderr: string }

/** A program of this package as a child process, with what it has written so far. */
export type Program = {
  child: ChildProcess
  output: { stdout: string; stderr: string }
  ended: Promise<Ended>
}

const children: ChildProcess[] = []

// A test that fails in the middle must not leave a stack behind.
afterAll(async () => void (await Promise.all(children.map(killChild))))

/** Runs `libs/local/src/<file>` on a data folder. In a process group of its own, as a terminal runs it. */
export function runProgram(file: string, args: string[], dataDir: string, env: Env = {}): Program {
  const path = fileURLToPath(new URL(`../src/${file}`, import.meta.url))
  const child = spawn(process.execPath, [path, ...args], {
    env: {
      ...process.env,
      HERALD_NATS_SERVER: inject('natsServer'),
      HERALD_DATA_DIR: dataDir,
      PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  children.push(child)
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }))
  return { child, output, ended }
}

export type RunningStack = Program & { run: RunFile } & AsyncDisposable

/** `npm start` on a data folder; resolves when it runs. Disposing kills it and waits until its servers are gone. */
export async function runStack(dataDir: string, env: Env = {}): Promise<RunningStack> {
  const program = runProgram('start.ts', [], dataDir, env)
  const { child, output } = program
  const dispose = async () => {
    await killChild(child)
    await eventually(() => expectNothingLeft(dataDir))
  }
  try {
    const run = await eventually(
      async () => {
        const found = await findRunning(dataDir)
        if (child.exitCode !== null) return undefined
        if (found?.pid !== child.pid) throw new Error(`Not running yet.\n${output.stdout}`)
        return found
      },
      { timeoutMs: 60_000 },
    )
    if (!run) {
      const { code, stderr } = await program.ended
      throw new Error(`The start ended with ${code}.\n${output.stdout}${stderr}`)
    }
    return { ...program, run, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** Throws while a process has the data folder in its command line, as the folder's Postgres and NATS do. */
export function expectNothingLeft(dataDir: string): void {
  const left = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => findProcess(Number(pid))?.commandLine ?? '')
    .filter((commandLine) => commandLine.includes(dataDir))
  if (left.length > 0) throw new Error(`Still there: ${left.join('; ')}`)
}

/** Calls the API with the demo key. */
export async function callApi(run: RunFile, method: string, path: string, body?: unknown) {
  const response = await fetchDocumented(run.apiUrl, `/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${run.demo.apiKey}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  })
  return { status: response.status, body: (await response.json()) as never }
}
