import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** How to run an example, or why that cannot be done here. */
export type Runner = { command: string[] } | { missing: string }

const BUILD_WITHIN_MS = 300_000

/** The examples by their language. Nothing is fetched: what is not on this machine is missing. */
export const LANGUAGES: Record<string, (folder: string) => Runner> = {
  TypeScript: () => ({ command: [process.execPath, pathOf('consume-events.ts')] }),
  Python: () => {
    const python = process.env.HERALD_PYTHON ?? 'python3'
    return succeeds(python, ['-c', 'import nats'])
      ? { command: [python, pathOf('consume_events.py')] }
      : {
          missing: `${python} with nats-py (pip install nats-py; HERALD_PYTHON names another python)`,
        }
  },
  Go: (folder) => {
    const program = join(folder, 'consume-events')
    const build = ['build', '-C', pathOf('go'), '-o', program, '.']
    return succeeds('go', build, { GOPROXY: 'off', GOTOOLCHAIN: 'local' })
      ? { command: [program] }
      : { missing: 'go with the modules of docs/examples/go (go mod download)' }
  },
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}

function succeeds(program: string, args: string[], env: Record<string, string> = {}): boolean {
  const options = { env: { ...process.env, ...env }, timeout: BUILD_WITHIN_MS }
  return spawnSync(program, args, options).status === 0
}
