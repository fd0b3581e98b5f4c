import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A process that has started a server and does nothing more; killing it leaves the server without an owner. */
export type Owner = { server: { url: string; port: number; pid: number }; kill(): Promise<void> }

/** Starts Postgres or nats-server in a process of its own, which looks for programs on `path`. */
export async function startInChild(
  module: 'postgres' | 'nats',
  options: { dataDir: string; binary?: string },
  path = process.env['PATH'] ?? '',
): Promise<Owner> {
  const program = fileURLToPath(new URL('owner.ts', import.meta.url))
  const child = spawn(process.execPath, [program, module, JSON.stringify(options)], {
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return {
    server: JSON.parse(String(line)),
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** Whether this system can end a server together with the process that started it. */
export function hasSetpriv(): boolean {
  return spawnSync('setpriv', ['--version']).status === 0
}

/** Makes, below `parent`, a PATH with a setpriv that does not tie a server to its parent, so that the server is left behind. */
export function pathThatOutlivesParents(parent: string): string {
  const folder = programFolder(parent)
  const script = `#!/bin/sh\nshift 2\nexec ${locate('setpriv')} --pdeathsig keep "$@"\n`
  writeFileSync(join(folder, 'setpriv'), script, { mode: 0o755 })
  return [folder, process.env['PATH']].join(delimiter)
}

/** Makes, below `parent`, a PATH on which only unshare is found. */
export function pathWithoutSetpriv(parent: string): string {
  const folder = programFolder(parent)
  symlinkSync(locate('unshare'), join(folder, 'unshare'))
  return folder
}

function programFolder(parent: string): string {
  const folder = join(parent, 'programs')
  mkdirSync(folder)
  return folder
}

function locate(program: string): string {
  const { stdout } = spawnSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' })
  return stdout.trim() || program
}
