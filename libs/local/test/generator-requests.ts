import fc from 'fast-check'
import type { Route } from '@herald/contracts/http'
import type { z } from 'zod'
import { arbitraryOf, defOf, type Hints } from './generator-arbitrary.ts'
import { HOSTILE_TEXTS, mutated, toJson } from './generator-mutations.ts'

/** A request with one thing wrong. The path is sent as it stands here. */
export type HostileRequest = { method: string; path: string; body?: string; what: string }

export type Known = {
  /** Ids that the caller may use, by the first part of the path: `posts`, `media`. */
  ids: Record<string, string[]>
  foreignIds: string[]
  hints: Hints
  /** Fields of a body that are good only together with others: they are there in one body of ten. */
  rareFields: readonly string[]
}

type Entries = [name: string, value: string][]
type Part = { what: string; path: string; query: string; body: string | undefined }

const HOSTILE_IDS = HOSTILE_TEXTS.filter((text) => text !== '').map(percentEncoded)

/** Requests of one endpoint: each is good but for one part, in which one thing was changed. */
export function requestsOf(route: Route, known: Known): fc.Arbitrary<HostileRequest> {
  const body = route.body ? goodBodies(route.body, known) : fc.constant(undefined)
  const query = route.query ? arbitraryOf(route.query, known.hints) : fc.constant({})
  return fc
    .tuple(goodPath(route, known), query, body)
    .chain(([path, goodQuery, goodBody]) => {
      const entries = Object.entries(goodQuery as Record<string, string>)
      const good: Part = {
        what: 'nothing',
        path,
        query: queryText(entries),
        body: goodBody === undefined ? undefined : toJson(goodBody),
      }
      const changes: fc.WeightedArbitrary<Partial<Part>>[] = [
        { weight: route.query ? 6 : 1, arbitrary: hostileQuery(route, entries, known) },
      ]
      if (route.path.includes(':'))
        changes.push({ weight: 3, arbitrary: hostilePath(route, known) })
      if (route.body)
        changes.push({ weight: 12, arbitrary: hostileBody(route.body, goodBody, known) })
      return fc.oneof(...changes).map((change) => ({ ...good, ...change }))
    })
    .map(({ what, path, query, body: text }) => ({
      method: route.method,
      path: `${path}${query}`,
      what,
      ...(text !== undefined && { body: text }),
    }))
}

function goodBodies(schema: z.ZodType, { hints, rareFields }: Known): fc.Arbitrary<unknown> {
  return fc
    .tuple(arbitraryOf(schema, hints), fc.nat(9))
    .map(([value, turn]) => (turn === 0 ? value : without(rareFields, value as object)))
}

function without(names: readonly string[], value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

function goodPath({ path }: Route, { ids }: Known): fc.Arbitrary<string> {
  const [, kind = ''] = path.split('/')
  return fc.constantFrom(...(ids[kind] ?? ['none'])).map((id) => path.replace(/:\w+/, id))
}

function hostilePath({ path }: Route, known: Known): fc.Arbitrary<Partial<Part>> {
  const ids = [
    ...HOSTILE_IDS,
    ...known.foreignIds,
    ...Object.values(known.ids).flatMap(([id = '']) => [
      id.toUpperCase(),
      `${id}x`,
      id.slice(0, -1),
      `${id}%0a`,
      `${id}%2f`,
    ]),
    '%E0%A4%A',
    '%ff',
    '%',
    ';a=b',
    'a'.repeat(4_000),
  ]
  return fc
    .constantFrom(...ids)
    .map((id) => ({ what: `the id ${id.slice(0, 60)}`, path: path.replace(/:\w+/, () => id) }))
}

function hostileQuery(
  { query }: Route,
  entries: Entries,
  { foreignIds }: Known,
): fc.Arbitrary<Partial<Part>> {
  const [first = ['limit', '5']] = entries
  const names = query ? Object.keys(defOf(query).shape) : [first[0]]
  const changes: [string, string][] = [
    ['a parameter twice', queryText([...entries, first])],
    ['a parameter that nobody knows', queryText([...entries, ['unknown', '1']])],
    ['a name in capitals', queryText([...entries, [first[0].toUpperCase(), first[1]]])],
    ['__proto__', `${queryText(entries) || '?'}&__proto__=1&__proto__[x]=1`],
    ['an empty name', `${queryText(entries) || '?'}&=1`],
    ['bad percent-encoding', `?${first[0]}=%E0%A4%A`],
    ['brackets', `?${first[0]}[]=1&${first[0]}[a]=2`],
    ['nothing but separators', '?&&&&'],
    ['a thousand parameters', `?${'a=1&'.repeat(1_000)}`],
    ['no value', `?${first[0]}`],
  ]
  const values = fc
    .tuple(
      fc.constantFrom(...names),
      fc.constantFrom(
        ...HOSTILE_TEXTS,
        ...foreignIds,
        '0',
        '101',
        '100',
        '1.5',
        '1e2',
        'A'.repeat(1_001),
      ),
    )
    .map(([name, value]) => ({
      what: `${name} is ${JSON.stringify(value).slice(0, 60)}`,
      query: queryText([...entries.filter(([other]) => other !== name), [name, value]]),
    }))
  const whole = fc.constantFrom(...changes).map(([what, query]) => ({ what, query }))
  return fc.oneof({ weight: 2, arbitrary: values }, { weight: 1, arbitrary: whole })
}

function hostileBody(schema: z.ZodType, good: unknown, known: Known): fc.Arbitrary<Partial<Part>> {
  const text = toJson(good)
  const broken: [string, string][] = [
    ['an empty body', ''],
    ['half a body', text.slice(0, -2)],
    ['two bodies', text + text],
    ['a comma at the end', text.replace(/\}$/, ',}')],
    ['a name twice', text.replace('{', `{${JSON.stringify(Object.keys(good as object)[0])}:1,`)],
    ['a list around', `[${text}]`],
    ['spaces around', ` \n\t${text}\r\n `],
    ['300 KB of spaces', text + ' '.repeat(300_000)],
  ]
  return fc.oneof(
    {
      weight: 9,
      arbitrary: mutated(schema, good, known.foreignIds).map(({ what, value }) => ({
        what,
        body: value === undefined ? '' : toJson(value),
      })),
    },
    { weight: 1, arbitrary: fc.constantFrom(...broken).map(([what, body]) => ({ what, body })) },
  )
}

function queryText(entries: Entries): string {
  if (entries.length === 0) return ''
  return `?${entries.map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`).join('&')}`
}

/** Percent-encodes every byte that is not a letter, digit or underline; half a pair as the bytes it would have. */
function percentEncoded(text: string): string {
  return Array.from(text, (character) => {
    if (/^\w$/.test(character)) return character
    const unit = character.codePointAt(0)!
    const isHalf = unit >= 0xd800 && unit <= 0xdfff
    const bytes = isHalf
      ? Buffer.of(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 63), 0x80 | (unit & 63))
      : Buffer.from(character)
    return [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  }).join('')
}
