import fc from 'fast-check'
import type { z } from 'zod'
import { defOf, limitsOf } from './generator-arbitrary.ts'

/** A value with one thing wrong, and what that is. `RAW` texts in it stand for JSON that no value writes. */
export type Mutated = { what: string; value: unknown }
type Place = { path: (string | number)[]; schema: z.ZodType | undefined; value: unknown }

const raw = (json: string) => `@raw(${Buffer.from(json).toString('base64')})`
const RAW = /"@raw\(([A-Za-z0-9+/=]*)\)"/g

/** A value as JSON, with the raw parts put in. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(RAW, (_, base64: string) =>
    Buffer.from(base64, 'base64').toString(),
  )
}

export const HOSTILE_TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udfffb',
  '\u200b',
  '\ufeff',
  '\u202egpj.exe',
  "'; drop table posts; --",
  '" or 1=1 --',
  '%',
  '%00',
  '../../etc/passwd',
  '${jndi:ldap://127.0.0.1/a}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  'a\r\nSet-Cookie: a=b',
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'true',
  '1e999',
  '-0',
  '٥',
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
  'http://[::1]:1/',
  '2026-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '2027-01-01T00:00:00+14:01',
  'x\u0301'.repeat(500),
  '👨‍👩‍👧‍👦'.repeat(501),
]
const WRONG_TYPES = [null, true, false, 0, -1, 1.5, 2 ** 53, 'text', [], [null], {}, { a: {} }]
const RAW_JSON = [
  '1e999',
  '-1e999',
  '12345678901234567890',
  '-0',
  '1e-400',
  '['.repeat(30) + ']'.repeat(30),
  '{"a":'.repeat(30) + '1' + '}'.repeat(30),
  '['.repeat(5_000) + ']'.repeat(5_000),
  '{"__proto__":{"isAdmin":true}}',
]
const NAMES = [
  'unknown',
  '__proto__',
  'constructor',
  'toString',
  'id',
  'status',
  'orgId',
  'organizationId',
  '',
]

/** One change of one place of a value that the schema takes. */
export function mutated(
  schema: z.ZodType,
  value: unknown,
  foreignIds: string[],
): fc.Arbitrary<Mutated> {
  return fc.constantFrom(...placesIn(schema, value)).chain((place) => {
    const options = [
      ...replacements(place, foreignIds),
      ...removals(value, place),
      ...names(value, place),
    ]
    return fc.constantFrom(...options)
  })

  function replacements({ path, schema: at, value: old }: Place, ids: string[]): Mutated[] {
    const put = (what: string, next: unknown) => ({
      what: `${what} at ${path.join('.') || 'the root'}`,
      value: replaced(value, path, next),
    })
    return [
      { what: 'nothing', value },
      ...WRONG_TYPES.map((next) => put(`${JSON.stringify(next)}`, next)),
      ...HOSTILE_TEXTS.map((next) => put(JSON.stringify(next).slice(0, 60), next)),
      ...RAW_JSON.map((json) => put(json.slice(0, 40), raw(json))),
      ...ids.map((id) => put('an id of another organization', id)),
      ...boundaries(at).map((next) => put('a limit, or one beyond', next)),
      ...(typeof old === 'string'
        ? [
            put('NUL behind', `${old}\u0000`),
            put('half a pair behind', `${old}\ud83d`),
            put('a line break behind', `${old}\n`),
            put('capitals', old.toUpperCase()),
            put('small letters', old.toLowerCase()),
            put('20,000 characters', old.padEnd(20_000, 'x')),
          ]
        : []),
      ...(Array.isArray(old)
        ? [put('an item twice', [...old, ...old]), put('501 items', Array(501).fill(old[0] ?? 'a'))]
        : []),
    ]
  }
}

function removals(root: unknown, { path }: Place): Mutated[] {
  return path.length === 0
    ? []
    : [{ what: `nothing at ${path.join('.')}`, value: replaced(root, path, undefined) }]
}

function names(root: unknown, { path, value }: Place): Mutated[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const [first] = Object.keys(value)
  return [
    ...NAMES.map((name) => ({
      what: `the name ${JSON.stringify(name)}`,
      value: replaced(root, path, withName(value, name)),
    })),
    {
      what: 'a name in other letters',
      value: replaced(root, path, withName(value, (first ?? 'a').toUpperCase())),
    },
    {
      what: '600 names',
      value: replaced(root, path, {
        ...value,
        ...Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`n${i}`, 1])),
      }),
    },
  ]
}

/** As an own property, also where the name is `__proto__`. */
function withName(value: object, name: string): object {
  const copy = { ...value }
  Object.defineProperty(copy, name, { value: 'own', enumerable: true, configurable: true })
  return copy
}

function replaced(root: unknown, path: (string | number)[], next: unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return next
  const copy = (Array.isArray(root) ? [...root] : { ...(root as object) }) as Record<
    string,
    unknown
  >
  const inner = replaced(copy[name], rest, next)
  if (inner === undefined) delete copy[name]
  else copy[name] = inner
  return copy
}

/** Every place in a value, with the schema that stands there. */
function placesIn(
  schema: z.ZodType | undefined,
  value: unknown,
  path: Place['path'] = [],
): Place[] {
  const here: Place = { path, schema, value }
  if (typeof value !== 'object' || value === null) return [here]
  const def = schema && defOf(unwrapped(schema))
  return [
    here,
    ...Object.entries(value).flatMap(([name, part]) =>
      placesIn(def?.shape?.[name] ?? def?.element ?? def?.valueType, part, [
        ...path,
        Array.isArray(value) ? Number(name) : name,
      ]),
    ),
  ]
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const def = defOf(schema)
  if (def.innerType) return unwrapped(def.innerType)
  return def.type === 'pipe' ? unwrapped(def.in) : schema
}

/** Values at the limits of a schema and one beyond. */
function boundaries(schema: z.ZodType | undefined): unknown[] {
  if (!schema) return []
  const plain = unwrapped(schema)
  const { minimum, maximum } = limitsOf(plain)
  const around = [minimum, maximum]
    .filter((limit) => limit !== undefined)
    .flatMap((limit) => [limit - 1, limit, limit + 1])
    .filter((size) => size >= -1 && size <= 2 ** 53)
  switch (defOf(plain).type) {
    case 'number':
      return around
    case 'string':
      return around.filter((size) => size >= 0 && size <= 100_001).map((size) => 'x'.repeat(size))
    case 'array':
      return around
        .filter((size) => size >= 0 && size <= 200)
        .map((size) => Array.from({ length: size }, (_, index) => `id_${index}`))
    default:
      return []
  }
}
