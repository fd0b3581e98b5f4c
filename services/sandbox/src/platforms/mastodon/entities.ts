/**
 * Links, mentions and hashtags as Mastodon finds them: a link needs http(s) and a host with a top-level domain, and
 * does not take punctuation that ends a sentence; brackets belong to it in pairs.
 */
const HOST = String.raw`(?:[\p{L}\p{N}][\p{L}\p{N}_-]*\.)+(?:\p{L}{2,}|xn--[a-z0-9-]+)`
const PATH_PART = String.raw`[\p{L}\p{N}!*';:=+,.$/%#\[\]\p{Pd}_~@|&]`
const PATH_END = String.raw`[\p{L}\p{N}=_#/+\-]`
const BALANCED = String.raw`\(${PATH_PART}+\)`
const PATH = String.raw`/(?:(?:${PATH_PART}|${BALANCED})*(?:${PATH_END}|${BALANCED}))?`
const QUERY = String.raw`\?[a-z0-9!?*'();:&=+$/%#\[\]\-_.,~|@]*[a-z0-9_&=#/\-]`
const LINK = String.raw`(?<![\p{L}\p{N}@$#_])https?://${HOST}(?::\d+)?(?:${PATH})?(?:${QUERY})?`
const USERNAME = String.raw`[a-z0-9_]+(?:[a-z0-9_.-]+[a-z0-9_]+)?`
const MENTION = String.raw`(?<![/\p{L}\p{N}_])@(?<user>${USERNAME})(?:@(?<host>[\p{L}\p{N}.-]+[\p{L}\p{N}]))?`
const HASHTAG = String.raw`(?<![/)\p{L}\p{N}_&])#(?<tag>[\p{L}\p{N}_]*[\p{L}_][\p{L}\p{N}_]*)`
const ENTITY = new RegExp(`(?<link>${LINK})|${MENTION}|${HASHTAG}`, 'giu')

export type Entity =
  | { kind: 'text'; text: string }
  | { kind: 'link'; text: string }
  | { kind: 'mention'; text: string; user: string; host: string | undefined }
  | { kind: 'hashtag'; text: string; tag: string }

/** The text in pieces; joined together they are the text. */
export function entitiesOf(text: string): Entity[] {
  const pieces: Entity[] = []
  let from = 0
  for (const match of text.matchAll(ENTITY)) {
    if (match.index > from) pieces.push({ kind: 'text', text: text.slice(from, match.index) })
    pieces.push(toEntity(match[0], match.groups ?? {}))
    from = match.index + match[0].length
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from) })
  return pieces
}

function toEntity(text: string, groups: Record<string, string | undefined>): Entity {
  const { user, host, tag } = groups
  if (user !== undefined) return { kind: 'mention', text, user, host }
  if (tag !== undefined) return { kind: 'hashtag', text, tag }
  return { kind: 'link', text }
}
