import { countGraphemes } from '../../graphemes.ts'

/** Says what is wrong with a value, in the words of the server, or nothing. */
export type Check = (value: unknown, path: string) => string | undefined

export type TextLimits = {
  maxBytes?: number
  maxGraphemes?: number
  format?: { name: string; pattern: RegExp }
}

export function text({ maxBytes, maxGraphemes, format }: TextLimits = {}): Check {
  return (value, path) => {
    if (typeof value !== 'string') return wrongType('string', value, path)
    const bytes = Buffer.byteLength(value)
    if (maxBytes !== undefined && bytes > maxBytes) return tooBig('string', maxBytes, bytes, path)
    const graphemes = countGraphemes(value)
    if (maxGraphemes !== undefined && graphemes > maxGraphemes)
      return tooBig('grapheme', maxGraphemes, graphemes, path)
    if (format && !format.pattern.test(value))
      return `Invalid ${format.name} (got ${shown(value)}) at ${path}`
    return undefined
  }
}

export function integer(minimum: number): Check {
  return (value, path) => {
    if (!Number.isInteger(value)) return wrongType('integer', value, path)
    return Number(value) < minimum
      ? `integer too small (minimum ${minimum}, got ${Number(value)}) at ${path}`
      : undefined
  }
}

export function list(item: Check, maximum = Infinity): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return wrongType('array', value, path)
    if (value.length > maximum) return tooBig('array', maximum, value.length, path)
    return first(value.map((one, index) => () => item(one, `${path}[${index}]`)))
  }
}

/** An object. Properties that it does not name are let through, as the network does. */
export function object(required: readonly string[], properties: Record<string, Check>): Check {
  return (value, path) => {
    if (!isObject(value)) return wrongType('object', value, path)
    const missing = required.find((key) => value[key] === undefined)
    if (missing !== undefined) return `Missing required key "${missing}" at ${path}`
    return first(
      Object.entries(properties).map(([key, check]) => () => {
        const property = value[key]
        return property === undefined ? undefined : check(property, `${path}.${key}`)
      }),
    )
  }
}

/** One of several objects, told apart by `$type`. With `isOpen`, others are let through. */
export function union(variants: Record<string, Check>, isOpen = false): Check {
  return (value, path) => {
    if (!isObject(value) || typeof value['$type'] !== 'string')
      return wrongType('an object which includes the "$type" property', value, path)
    const check = variants[value['$type']]
    if (check) return check(value, path)
    if (isOpen) return undefined
    const names = Object.keys(variants).map((name) => JSON.stringify(name))
    const known =
      names.length === 1
        ? names.join()
        : `one of ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
    return `Expected ${known} (got ${shown(value['$type'])}) at ${path}.$type`
  }
}

/** A reference to an uploaded file; whether it exists and fits is looked at when the record is written. */
export const blob: Check = (value, path) => {
  const isBlob =
    isObject(value) &&
    value['$type'] === 'blob' &&
    isObject(value['ref']) &&
    typeof value['ref']['$link'] === 'string' &&
    typeof value['mimeType'] === 'string' &&
    Number.isInteger(value['size'])
  return isBlob ? undefined : wrongType('blob', value, path)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function first(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const problem = check()
    if (problem !== undefined) return problem
  }
  return undefined
}

function tooBig(what: string, maximum: number, got: number, path: string): string {
  return `${what} too big (maximum ${maximum}, got ${got}) at ${path}`
}

function wrongType(expected: string, value: unknown, path: string): string {
  return `Expected ${expected} value type (got ${shown(value)}) at ${path}`
}

/** A value as the server shows it: objects and lists only in outline. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) {
    const more = value.length > 2 ? ', ...' : ''
    return `[${value.slice(0, 2).map(shown).join(', ')}${more}]`
  }
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined'
  const keys = Object.keys(value)
  const more = keys.length > 2 ? ', ...' : ''
  return `{${keys
    .slice(0, 2)
    .map((key) => `${JSON.stringify(key)}: ...`)
    .join(', ')}${more}}`
}
