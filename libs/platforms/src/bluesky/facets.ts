import { countBytes } from '../text.ts'

/** A part of a text that is a link, a tag or a mention; positions in UTF-8 bytes. */
export type Facet = {
  index: { byteStart: number; byteEnd: number }
  features: (
    | { $type: 'app.bsky.richtext.facet#link'; uri: string }
    | { $type: 'app.bsky.richtext.facet#tag'; tag: string }
    | { $type: 'app.bsky.richtext.facet#mention'; did: string }
  )[]
}

const LINK = /(?<=^|[\s(])https?:\/\/[^\s]+/gu
const TAG = /(?<=^|\s)[#＃](?=[^\s]*[^\d\s\p{P}])[^\s\u00AD\u2060\u200A\u200B\u200C\u200D\u20e2]+/gu
const MENTION = /(?<=^|[\s(])@([a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*\.[a-zA-Z][a-zA-Z0-9-]*)\b/gu
const LONGEST_TAG = 64

/** The handles that a text mentions, each once. */
export function mentionedHandles(text: string): string[] {
  return [...new Set([...text.matchAll(MENTION)].map(([, handle = '']) => handle.toLowerCase()))]
}

/** Links, tags and mentions of a text. A mention whose handle has no DID stays plain text. */
export function facetsOf(text: string, dids: Record<string, string>): Facet[] {
  const links = [...text.matchAll(LINK)].map((match) => {
    const uri = trimLink(match[0])
    return facet(text, match.index, uri, { $type: 'app.bsky.richtext.facet#link' as const, uri })
  })
  const tags = [...text.matchAll(TAG)].flatMap((match) => {
    const written = match[0].replace(/\p{P}+$/u, '')
    const tag = written.slice(1)
    const isTag = tag.length > 0 && [...tag].length <= LONGEST_TAG
    return isTag
      ? [facet(text, match.index, written, { $type: 'app.bsky.richtext.facet#tag' as const, tag })]
      : []
  })
  const mentions = [...text.matchAll(MENTION)].flatMap((match) => {
    const did = dids[(match[1] ?? '').toLowerCase()]
    const type = 'app.bsky.richtext.facet#mention' as const
    return did === undefined ? [] : [facet(text, match.index, match[0], { $type: type, did })]
  })
  return [...links, ...tags, ...mentions].toSorted(
    (one, other) => one.index.byteStart - other.index.byteStart,
  )
}

function facet(text: string, at: number, part: string, feature: Facet['features'][number]): Facet {
  const byteStart = countBytes(text.slice(0, at))
  return { index: { byteStart, byteEnd: byteStart + countBytes(part) }, features: [feature] }
}

/** Punctuation at the end belongs to the sentence, and so does a bracket that was opened before the link. */
function trimLink(link: string): string {
  const trimmed = link.replace(/[.,;:!?'"]+$/u, '')
  return trimmed.endsWith(')') && !trimmed.includes('(') ? trimmed.slice(0, -1) : trimmed
}
