/** Every link counts as this many characters, however long it is. */
const LINK_PLACEHOLDER = 'x'.repeat(23)

/**
 * The start of what an instance makes a link of: http or https and a host name under a top-level domain. An address
 * such as `http://localhost` stays text and counts in full.
 */
const LINK_START =
  /(?<![a-z0-9@＠$#＃])https?:\/\/(?:[\p{L}\p{N}_-]+\.)+(?:xn--[a-z0-9-]+|[a-z]{2,})(?![a-z0-9_-])(?::\d+)?/giu

/** What may follow: a path, where brackets come in pairs, and a query of ASCII characters. */
const LINK_REST =
  /(?:\/(?:[^\s<>()?]|\([^\s<>()?]*\))*)?(?:\?[a-z0-9!?*';:&=+$/%#[\]_.,~|@^-]*)?/iuy

/** Characters that end a sentence rather than a link. */
const NOT_LAST = new Set('?!*"\'「」<>;:=,.$%[]~&|@(')

/** `@user@host`. The host is not counted. */
const REMOTE_MENTION =
  /(?<![=/\p{L}\p{N}_])@([a-z0-9_]+(?:[.-]+[a-z0-9_]+)*)@[\p{L}\p{N}_]+(?:[.-]+[\p{L}\p{N}_]+)*/giu

/**
 * A text as Mastodon measures it: each http(s) link as 23 characters and `@user@host` as `@user`. What an instance
 * makes a link of depends on lists of domains; an address that is not surely a link counts in full.
 */
export function shortenForCount(text: string): string {
  return withoutHosts(replaceLinks(text))
}

/** A text with each `@user@host` as `@user`. */
export function withoutHosts(text: string): string {
  return text.replace(REMOTE_MENTION, '@$1')
}

function replaceLinks(text: string): string {
  let result = ''
  let done = 0
  for (const match of text.matchAll(LINK_START)) {
    if (match.index < done) continue
    result += text.slice(done, match.index) + LINK_PLACEHOLDER
    done = endOfLink(text, match.index + match[0].length)
  }
  return result + text.slice(done)
}

function endOfLink(text: string, from: number): number {
  LINK_REST.lastIndex = from
  const rest = LINK_REST.exec(text)?.[0] ?? ''
  let length = rest.length
  while (length > 0 && NOT_LAST.has(rest.charAt(length - 1))) length--
  return from + length
}
