import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseYaml } from '@redocly/openapi-core'
import { temporaryFolder } from '@herald/testing/temporary-folder'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A container of `docker-compose.yml`, with what the tests ask about. */
export type ComposeService = {
  image: string
  command?: string[]
  environment?: Record<string, string>
  ports?: string[]
  networks?: string[]
  volumes?: string[]
  profiles?: string[]
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test?: string[]; disable?: boolean }
  build?: { args: Record<string, string> }
} & Record<string, unknown>
export type Compose = {
  services: Record<string, ComposeService>
  networks: Record<string, { internal?: boolean }>
  volumes: Record<string, unknown>
}

/** `docker-compose.yml` as it is written, with its variables. */
export const composeText = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8')

/** What `make-env.mjs` writes for somebody who starts, and what it says when it is run a second time. */
export function makeEnv(...args: string[]): {
  settings: Record<string, string>
  again: { code: number | null; said: string; isSame: boolean }
} {
  using folder = temporaryFolder()
  const file = join(folder.path, '.env')
  const run = () =>
    spawnSync(process.execPath, [join(ROOT, 'deploy/docker/make-env.mjs'), ...args], {
      env: { HERALD_ENV_FILE: file },
      encoding: 'utf8',
    })
  const first = run()
  if (first.status !== 0) throw new Error(first.stderr)
  const text = readFileSync(file, 'utf8')
  const again = run()
  const isSame = readFileSync(file, 'utf8') === text
  return {
    settings: Object.fromEntries(text.trim().split('\n').map(splitOnce)),
    again: { code: again.status, said: again.stderr, isSame },
  }
}

/**
 * The file with its variables replaced, as Compose does it: `${NAME}`, `${NAME:-default}` and `${NAME:?why}`. Throws for
 * one that has neither a value nor a default.
 */
export function readCompose(settings: Record<string, string>): Compose {
  return replaceIn(parseYaml(composeText), settings) as Compose
}

/** What is replaced is a text, whatever it looks like. */
function replaceIn(value: unknown, settings: Record<string, string>): unknown {
  if (typeof value === 'string') return replaceVariables(value, settings)
  if (Array.isArray(value)) return value.map((part) => replaceIn(part, settings))
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).map(([name, part]) => [name, replaceIn(part, settings)])
  return Object.fromEntries(parts)
}

function replaceVariables(text: string, settings: Record<string, string>): string {
  return text.replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_all, name: string, kind: string | undefined, rest: string) => {
      const value = settings[name] || (kind === '-' ? rest : undefined)
      if (value === undefined) throw new Error(`${name} has no value.`)
      return value
    },
  )
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf('=')
  return [line.slice(0, at), line.slice(at + 1)]
}
