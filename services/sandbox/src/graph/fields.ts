import { z } from 'zod'
import type { Call } from '../call.ts'
import { refuseParameter } from './errors.ts'

const Body = z.record(z.string(), z.unknown())

/** The parameters of a call: of its query, and of its body, which is a form or JSON. Lists and objects are JSON texts. */
export function fieldsOf({ query, headers, body }: Call): Record<string, string> {
  const fields = Object.fromEntries(query)
  if (!(headers['content-type'] ?? '').startsWith('application/json'))
    return { ...fields, ...Object.fromEntries(new URLSearchParams(body.toString())) }
  const given = Body.safeParse(parse(body.toString())).data ?? {}
  const texts = Object.entries(given).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return { ...fields, ...Object.fromEntries(texts) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The list in a parameter: JSON, or separated by commas. */
export function listOf(text = ''): string[] {
  const list = z.array(z.union([z.string(), z.number()]).transform(String))
  return list.safeParse(parse(text)).data ?? text.split(',').filter(Boolean)
}

export function isTrue(text: string | undefined): boolean {
  return text === 'true' || text === '1'
}

/** The fields of a view that the caller asks for by `fields`, and its id, which is always told. */
export function select(
  call: Call,
  view: Record<string, unknown>,
  byDefault: string[],
): Record<string, unknown> {
  const asked = fieldsOf(call)['fields']
  const names = asked === undefined ? byDefault : split(asked)
  const unknown = names.find((name) => !Object.hasOwn(view, name))
  if (unknown !== undefined)
    refuseParameter(`Tried accessing nonexisting field (${unknown})`, { type: 'THApiException' })
  const told = [...new Set([...names, 'id'])]
    .map((name) => [name, view[name]])
    .filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(told)
}

/** Names separated by commas, without what is asked for of their own fields in braces. */
function split(text: string): string[] {
  const plain = text.replaceAll(/\{[^{}]*\}|\.\w+\([^()]*\)/g, '')
  if (plain !== text) return split(plain)
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
}

/** How Graph APIs write a moment. */
export function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, '+0000')
}
