import { countBytes, countGraphemes } from '../graphemes.ts'

/** A link, mention or tag in a text: where it stands in UTF-16 units, and what it means. */
export type TextPart = {
  kind: 'link' | 'mention' | 'tag'
  start: number
  end: number
  /** The address, the handle without `@`, or the tag without `#`. */
  value: string
}

/** `app.bsky.richtext.facet`: the positions are bytes of the text in UTF-8. */
export type Facet = {
  index: { byteStart: number; byteEnd: number }
  features: (
    | { $type: 'app.bsky.richtext.facet#link'; uri: string }
    | { $type: 'app.bsky.richtext.facet#mention'; did: string }
    | { $type: 'app.bsky.richtext.facet#tag'; tag: string }
  )[]
}

const LINK = /(?<![\p{L}\p{N}_@#/.])https?:\/\/[^\s<>]+/giu
const MENTION = /(?<![\p{L}\p{N}_@/.-])@([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?![\p{L}\p{N}_@])/giu
const HANDLE = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
const TAG = /(?<=^|[\s(])[#＃](?!\ufe0f)([^\s\p{Cf}#＃]+)/gmu
const SENTENCE_END = new Set('.,;:!?\'"”’»。，、！？；：…')
const PUNCTUATION = /\p{P}/u
const MORE_THAN_DIGITS = /[^\p{N}\p{P}]/u
const MAX_HANDLE = 253
const MAX_TAG_GRAPHEMES = 64
const MAX_TAG_BYTES = 640

/** The links, mentions and tags of a text, in the order in which they stand; none overlaps another. */
export function partsOf(text: string): TextPart[] {
  const candidates = [...linksOf(text), ...mentionsOf(text), ...tagsOf(text)]
  const parts: TextPart[] = []
  // An address may hold an @ or a #, so links come first and what stands in them is left out.
  for (const part of candidates)
    if (!parts.some(({ start, end }) => part.start < end && start < part.end)) parts.push(part)
  return parts.sort((a, b) => a.start - b.start)
}

/** The facets of a text. A mention whose handle is not among the resolved ones stays plain text. */
export function facetsOf(text: string, didOf: Record<string, string>): Facet[] {
  return partsOf(text).flatMap((part) => {
    const feature = featureOf(part, didOf)
    if (!feature) return []
    const byteStart = countBytes(text.slice(0, part.start))
    const byteEnd = byteStart + countBytes(text.slice(part.start, part.end))
    return [{ index: { byteStart, byteEnd }, features: [feature] }]
  })
}

function featureOf(
  { kind, value }: TextPart,
  didOf: Record<string, string>,
): Facet['features'][number] | undefined {
  switch (kind) {
    case 'link':
      return { $type: 'app.bsky.richtext.facet#link', uri: value }
    case 'tag':
      return { $type: 'app.bsky.richtext.facet#tag', tag: value }
    case 'mention': {
      const handle = value.toLowerCase()
      const did = Object.hasOwn(didOf, handle) ? didOf[handle] : undefined
      return did === undefined ? undefined : { $type: 'app.bsky.richtext.facet#mention', did }
    }
  }
}

function linksOf(text: string): TextPart[] {
  return [...text.matchAll(LINK)]
    .map(({ 0: whole, index: start }) => {
      const value = withoutSentenceEnd(whole)
      return { kind: 'link' as const, start, end: start + value.length, value }
    })
    .filter(({ value }) => URL.canParse(value))
}

function mentionsOf(text: string): TextPart[] {
  return [...text.matchAll(MENTION)].flatMap(({ 0: whole, 1: value = '', index: start }) =>
    value.length <= MAX_HANDLE && HANDLE.test(value)
      ? [{ kind: 'mention' as const, start, end: start + whole.length, value }]
      : [],
  )
}

function tagsOf(text: string): TextPart[] {
  return [...text.matchAll(TAG)].flatMap(({ 1: word = '', index: start }) => {
    const value = withoutPunctuation(word)
    const isTag =
      MORE_THAN_DIGITS.test(value) &&
      countBytes(value) <= MAX_TAG_BYTES &&
      countGraphemes(value) <= MAX_TAG_GRAPHEMES
    return isTag ? [{ kind: 'tag' as const, start, end: start + 1 + value.length, value }] : []
  })
}

/** An address without the punctuation of the sentence around it, and without a bracket it did not open. */
function withoutSentenceEnd(address: string): string {
  let end = address.length
  let open = count(address, '(') - count(address, ')')
  for (; end > 0; end--) {
    const last = address.charAt(end - 1)
    if (last === ')' && open < 0) open++
    else if (!SENTENCE_END.has(last)) break
  }
  return address.slice(0, end)
}

function withoutPunctuation(word: string): string {
  let end = word.length
  while (end > 0 && PUNCTUATION.test(word.charAt(end - 1))) end--
  return word.slice(0, end)
}

function count(text: string, character: string): number {
  return text.split(character).length - 1
}
