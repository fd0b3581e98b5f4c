import fc from 'fast-check'
import type { z } from 'zod'

/**
 * What makes a value good that no schema can tell: ids that exist, times to come. By the name of the field; undefined
 * leaves it out.
 */
export type Hints = Record<string, fc.Arbitrary<unknown> | undefined>

/** The parts of a schema that are looked at here; zod types them for each kind of schema apart. */
type Def = {
  type: string
  format?: string
  checks?: { _zod: { def: Check } }[]
  innerType: z.ZodType
  in: z.ZodType
  out: z.ZodType
  element: z.ZodType
  keyType: z.ZodType
  valueType: z.ZodType
  shape: Record<string, z.ZodType>
  options: z.ZodType[]
  values: unknown[]
  entries: Record<string, string>
}
type Check = { check: string; pattern?: RegExp; minimum?: number; maximum?: number; value?: number }

/** What a text, number or list must keep to. Sizes are lengths where the value is not a number. */
export type Limits = { minimum?: number; maximum?: number; pattern?: RegExp; format?: string }

export const defOf = (schema: z.ZodType) => schema.def as unknown as Def

export function limitsOf(schema: z.ZodType): Limits {
  const { checks = [], format } = defOf(schema)
  const limits: Limits = { ...(format !== undefined && { format }) }
  for (const { check, pattern, minimum, maximum, value } of checks.map(({ _zod }) => _zod.def)) {
    if (check === 'string_format' && pattern) limits.pattern = pattern
    if (check === 'min_length' || check === 'greater_than') limits.minimum = minimum ?? value ?? 0
    if (check === 'max_length' || check === 'less_than') limits.maximum = maximum ?? value ?? 0
  }
  return limits
}

const LETTERS = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })

/** Values that a schema takes: mostly small, now and then at a limit. */
export function arbitraryOf(schema: z.ZodType, hints: Hints = {}): fc.Arbitrary<unknown> {
  return shaped(schema, hints).filter((value) => schema.safeParse(value).success)
}

function shaped(schema: z.ZodType, hints: Hints): fc.Arbitrary<unknown> {
  const def = defOf(schema)
  const inner = (one: z.ZodType) => shaped(one, hints)
  switch (def.type) {
    case 'object':
      return objectOf(def.shape, hints)
    case 'string':
      return text(limitsOf(schema))
    case 'number':
      return number(limitsOf(schema))
    case 'boolean':
      return fc.boolean()
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries))
    case 'literal':
      return fc.constantFrom(...def.values)
    case 'array':
      return fc.array(inner(def.element), {
        minLength: limitsOf(schema).minimum ?? 0,
        maxLength: Math.min(limitsOf(schema).maximum ?? 5, 5),
      })
    case 'record':
      return fc.dictionary(inner(def.keyType) as fc.Arbitrary<string>, inner(def.valueType), {
        maxKeys: 3,
      })
    case 'union':
      return fc.oneof(...def.options.map(inner))
    case 'nullable':
      return fc.option(inner(def.innerType), { freq: 4 })
    case 'optional':
    case 'default':
      return inner(def.innerType)
    case 'pipe':
      return inner(isAnyText(def.in) && defOf(def.out).type !== 'transform' ? def.out : def.in)
    default:
      throw new Error(`No values are known for a schema of the type ${def.type}.`)
  }
}

/** A text of which only what follows in the pipe says how it is written. */
function isAnyText(schema: z.ZodType): boolean {
  const { pattern, format } = limitsOf(schema)
  return defOf(schema).type === 'string' && pattern === undefined && format === undefined
}

/** Optional fields are there three times out of four. */
function objectOf(shape: Record<string, z.ZodType>, hints: Hints): fc.Arbitrary<unknown> {
  const fields = Object.entries(shape)
    .filter(([name]) => !(name in hints && hints[name] === undefined))
    .map(([name, schema]) => [name, hints[name] ?? arbitraryOf(schema, hints)])
  const needed = Object.keys(shape).filter((name) => shape[name]!.safeParse(undefined).error)
  return fc
    .record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
      requiredKeys: needed,
      noNullPrototype: true,
    })
    .filter((value) => Object.keys(value).length > 0)
}

function text({ minimum = 0, maximum = 40, pattern, format }: Limits): fc.Arbitrary<string> {
  if (format === 'datetime') return instant
  if (format === 'url') return fc.webUrl({ validSchemes: ['http', 'https'] })
  if (pattern) return fc.stringMatching(pattern)
  const small = LETTERS.map((one) => one.slice(0, maximum)).filter((one) => one.length >= minimum)
  if (maximum > 10_000) return small
  return fc.oneof(
    { weight: 9, arbitrary: small },
    { weight: 1, arbitrary: fc.constant('x'.repeat(maximum)) },
  )
}

function number({ minimum = 0, maximum = 1_000, format }: Limits): fc.Arbitrary<number> {
  if (format === undefined) return fc.double({ min: minimum, max: maximum, noNaN: true })
  return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 1_000) })
}

const instant = fc
  .tuple(
    fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
    fc.constantFrom('Z', '+02:00', '-11:30'),
  )
  .map(([date, offset]) => date.toISOString().replace('Z', offset))
