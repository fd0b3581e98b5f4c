import { readFileSync, writeFileSync } from 'node:fs'
import { parseYaml } from '@redocly/openapi-core'

const CHART = new URL('helm/herald/', import.meta.url)
export const README = new URL('README.md', CHART)
const BEGIN = '<!-- Below is written by `node deploy/write-readme.ts`. -->'

if (import.meta.main) writeFileSync(README, readmeNow())

/** The README of the chart with the table of its values as they are now. */
export function readmeNow(): string {
  const [prose = ''] = readFileSync(README, 'utf8').split(BEGIN)
  const rows = documentedValues(readFileSync(new URL('values.yaml', CHART), 'utf8')).map(
    ({ path, meaning, value }) => `| \`${path}\` | ${defaultOf(value)} | ${meaning} |`,
  )
  return [`${prose}${BEGIN}`, '', '| value | default | |', '|---|---|---|', ...rows, ''].join('\n')
}

function defaultOf(value: unknown): string {
  return value === undefined ? '' : `\`${JSON.stringify(value)}\``
}

type Documented = { path: string; meaning: string; value: unknown }

/**
 * The values that have a comment above them, in their order. A value below which others have comments is a heading:
 * its comment is a row without a default. Throws when a value has no comment of its own or above it.
 */
export function documentedValues(yaml: string): Documented[] {
  const comments = commentsOf(yaml)
  const values = parseYaml(yaml)
  const paths = [...comments.keys()]
  const rows = paths.map((path) => ({
    path,
    meaning: comments.get(path) ?? '',
    value: at(values, path),
  }))
  const isHeading = (path: string) => paths.some((other) => other.startsWith(`${path}.`))
  const leaves = rows.filter(({ path }) => !isHeading(path))
  const bare = namesOf(values).filter(
    (name) => !leaves.some(({ path }) => name === path || name.startsWith(`${path}.`)),
  )
  if (bare.length > 0) throw new Error(`These values have no comment: ${bare.join(', ')}.`)
  return rows.map((row) => (isHeading(row.path) ? { ...row, value: undefined } : row))
}

/** The comment directly above each key of a block, by its path. */
function commentsOf(yaml: string): Map<string, string> {
  const comments = new Map<string, string>()
  const open: string[] = []
  let comment: string[] = []
  for (const line of yaml.split('\n')) {
    const text = /^ *# (.*)$/.exec(line)?.[1]
    if (text !== undefined) {
      comment.push(text)
      continue
    }
    const [, indent = '', name] = /^( *)([A-Za-z0-9]+):/.exec(line) ?? []
    if (name !== undefined) {
      open.splice(indent.length / 2, Infinity, name)
      if (comment.length > 0) comments.set(open.join('.'), comment.join(' '))
    }
    comment = []
  }
  return comments
}

/** The paths of all values that are not maps with something in them. */
function namesOf(values: unknown, path = ''): string[] {
  const isMap = typeof values === 'object' && values !== null && !Array.isArray(values)
  const entries = isMap ? Object.entries(values) : []
  if (entries.length === 0) return [path]
  return entries.flatMap(([name, value]) => namesOf(value, path === '' ? name : `${path}.${name}`))
}

function at(values: unknown, path: string): unknown {
  let value = values
  for (const name of path.split('.')) value = (value as Record<string, unknown>)[name]
  return value
}
