import { z } from 'zod'
import type { Answer } from '../../platform.ts'
import { checkEmbed } from './check-embed.ts'
import { invalidRecord, tooBig } from './invalid-record.ts'
import type { Bluesky } from './tables.ts'

const MAX_GRAPHEMES = 300
const MAX_BYTES = 3000
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

const Feature = z.discriminatedUnion('$type', [
  z.looseObject({
    $type: z.literal('app.bsky.richtext.facet#mention'),
    did: z.string().regex(/^did:[a-z]+:\S+$/),
  }),
  z.looseObject({
    $type: z.literal('app.bsky.richtext.facet#link'),
    uri: z.string().regex(/^[a-z][a-z0-9+.-]*:\S+$/i),
  }),
  z.looseObject({
    $type: z.literal('app.bsky.richtext.facet#tag'),
    tag: z.string().min(1).max(640),
  }),
])
const Facet = z.looseObject({
  index: z.looseObject({ byteStart: z.int().nonnegative(), byteEnd: z.int().nonnegative() }),
  features: z.array(Feature),
})
const Reference = z.looseObject({ uri: z.string(), cid: z.string() })

/** A post as the lexicon has it, as far as it is checked by shape alone. */
const PostRecord = z.looseObject({
  $type: z.literal('app.bsky.feed.post'),
  text: z.string(),
  createdAt: z.iso.datetime({ offset: true }),
  langs: z
    .array(z.string().regex(/^[a-z]{2,3}(-[a-z0-9]+)*$/i))
    .max(3)
    .optional(),
  tags: z.array(z.string().max(640)).max(8).optional(),
  facets: z.array(Facet).optional(),
  reply: z.looseObject({ root: Reference, parent: Reference }).optional(),
  embed: z.looseObject({ $type: z.string() }).optional(),
})

/** Why a record is refused; undefined for a good one. */
export function checkRecord(bluesky: Bluesky, did: string, record: unknown): Answer | undefined {
  const parsed = PostRecord.safeParse(record)
  if (!parsed.success) return shapeProblem(parsed.error)
  const { text, facets = [], embed } = parsed.data
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_BYTES) return tooBig('string', MAX_BYTES, bytes, '$.record.text')
  const graphemes = [...segmenter.segment(text)].length
  if (graphemes > MAX_GRAPHEMES)
    return tooBig('grapheme', MAX_GRAPHEMES, graphemes, '$.record.text')
  const wrong = facets.findIndex(({ index }) => !isByteRange(text, index))
  if (wrong >= 0) return invalidRecord(`Invalid byte range at $.record.facets[${wrong}].index`)
  return embed && checkEmbed(bluesky, did, embed)
}

function shapeProblem({ issues }: z.ZodError): Answer {
  const [issue] = issues
  const path = issue?.path.map(String) ?? []
  const missing = issue?.code === 'invalid_type' && issue.message.endsWith('received undefined')
  if (missing)
    return invalidRecord(
      `Missing required key "${path.at(-1)}" at $.${['record', ...path.slice(0, -1)].join('.')}`,
    )
  return invalidRecord(`${issue?.message} at $.${['record', ...path].join('.')}`)
}

/** Facets count bytes of UTF-8, and must not cut a character. */
function isByteRange(text: string, { byteStart, byteEnd }: { byteStart: number; byteEnd: number }) {
  const bytes = Buffer.from(text)
  if (byteStart >= byteEnd || byteEnd > bytes.length) return false
  return [byteStart, byteEnd].every((at) => at === bytes.length || !isContinuation(bytes[at] ?? 0))
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}
