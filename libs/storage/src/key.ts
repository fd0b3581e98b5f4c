const MAX_LENGTH = 512
const MAX_SEGMENT_LENGTH = 200
const KEY = /^[a-z][a-z0-9_.-]*(\/[a-z0-9_.-]+)*$/

/**
 * Whether a text may be the key of an object: names of `[a-z0-9_.-]` with `/` between them, none of which is `.` or
 * `..`, the first starting with a letter. So a key is a path inside a folder, and no XML parser takes it for a number.
 */
export function isKey(text: string): boolean {
  return (
    text.length <= MAX_LENGTH &&
    KEY.test(text) &&
    text
      .split('/')
      .every((name) => name !== '.' && name !== '..' && name.length <= MAX_SEGMENT_LENGTH)
  )
}

/** Throws a `TypeError` when a text cannot be a key. */
export function checkKey(text: string): void {
  if (!isKey(text)) throw new TypeError(`${JSON.stringify(text.slice(0, 80))} cannot be a key.`)
}

/** Throws a `TypeError` when no key can start with a text. The empty text starts all. */
export function checkPrefix(text: string): void {
  // A prefix may end anywhere, also behind a slash or in a name that is `..` so far.
  if (text !== '' && !isKey(`${text}x`)) {
    throw new TypeError(`No key starts with ${JSON.stringify(text.slice(0, 80))}.`)
  }
}
