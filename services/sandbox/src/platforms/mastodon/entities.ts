/** A part of a text that Mastodon makes a link of. */
export type Entity =
  | { type: 'url'; start: number; end: number }
  | { type: 'mention'; start: number; end: number; username: string; domain: string | undefined }

/** A host name under a top-level domain; `http://localhost` stays text. */
const URL_START =
  /(?<![A-Za-z0-9@＠$#＃])https?:\/\/(?:[\p{L}\p{N}_-]+\.)+(?:xn--[a-z0-9-]+|\p{L}{2,})(?![\p{L}\p{N}_-])(?::\d+)?/giu
const URL_QUERY = /\?[a-z0-9!?*'();:&=+$/%#[\]_.,~|@^-]*/iuy
const NOT_LAST_OF_PATH = /[?!*"'「」<>;:=,.$%[\]~&|@]/u
const LAST_OF_QUERY = /[a-z0-9_&=#/-]/iu
const MENTION =
  /(?<![=/\p{L}\p{N}_])@([a-z0-9_]+(?:[.-]+[a-z0-9_]+)*)(?:@([\p{L}\p{N}_]+(?:[.-]+[\p{L}\p{N}_]+)*))?/giu

/** The links and mentions of a text in their order. What lies within a link is no mention. */
export function findEntities(text: string): Entity[] {
  const urls: Entity[] = []
  for (const match of text.matchAll(URL_START)) {
    if (match.index < (urls.at(-1)?.end ?? 0)) continue
    const end = endOfQuery(text, endOfPath(text, match.index + match[0].length))
    urls.push({ type: 'url', start: match.index, end })
  }
  const mentions = [...text.matchAll(MENTION)].map((match): Entity => {
    const [all, username = '', domain] = match
    return { type: 'mention', start: match.index, end: match.index + all.length, username, domain }
  })
  const free = mentions.filter(
    ({ start, end }) => !urls.some((url) => start < url.end && url.start < end),
  )
  return [...urls, ...free].toSorted((one, other) => one.start - other.start)
}

/** A path goes up to a space; brackets belong to it in pairs, and punctuation at the end to the sentence. */
function endOfPath(text: string, from: number): number {
  if (text[from] !== '/') return from
  let end = from
  while (end < text.length && !/[\s<>)?]/u.test(text.charAt(end))) {
    if (text[end] !== '(') {
      end += 1
      continue
    }
    const pair = /\([^\s<>()?]*\)/y
    pair.lastIndex = end
    const length = pair.exec(text)?.[0].length
    if (length === undefined) break
    end += length
  }
  while (end > from && NOT_LAST_OF_PATH.test(text.charAt(end - 1))) end -= 1
  return end
}

function endOfQuery(text: string, from: number): number {
  URL_QUERY.lastIndex = from
  let end = from + (URL_QUERY.exec(text)?.[0].length ?? 0)
  while (end > from && !LAST_OF_QUERY.test(text.charAt(end - 1))) end -= 1
  return end
}
