import { cutOff } from './limited-file.ts'

/** The characters of PDF (ISO 32000-1, 7.2 and 7.3): how far comments, strings, names and words go. */

export const OPEN_STRING = 0x28
const COMMENT = 0x25
export const NAME = 0x2f
const CLOSE_STRING = 0x29
const ESCAPE = 0x5c
const LINE_FEED = 0x0a
const RETURN = 0x0d
const MAX_NAME_BYTES = 127 * 3

const REGULAR = table('\0\t\n\f\r ()<>[]{}/%', 0)
const SPACE = table('\0\t\n\f\r ', 1)

/** Whether a byte is part of a name, a number or a word. */
export function isRegular(byte: number | undefined): boolean {
  return byte !== undefined && REGULAR[byte] === 1
}

/** Where the name, number or word ends that begins at `start`. */
export function endOfRegular(bytes: Buffer, start: number): number {
  let end = start
  while (end < bytes.length && REGULAR[bytes[end] ?? 0] === 1) end++
  return end
}

/** Where the next thing begins that is neither space nor comment. */
export function skipSpace(bytes: Buffer, start: number): number {
  let position = start
  while (position < bytes.length) {
    const byte = bytes[position] ?? 0
    if (byte === COMMENT) position = skipComment(bytes, position)
    else if (SPACE[byte] === 1) position++
    else break
  }
  return position
}

function skipComment(bytes: Buffer, start: number): number {
  let position = start
  while (position < bytes.length && bytes[position] !== LINE_FEED && bytes[position] !== RETURN) {
    position++
  }
  return position
}

/** Where a string ends. It may hold balanced parentheses; others have a backslash in front. */
export function skipString(bytes: Buffer, start: number): number {
  let depth = 0
  for (let position = start; position < bytes.length; position++) {
    const byte = bytes[position]
    if (byte === ESCAPE) position++
    else if (byte === OPEN_STRING) depth++
    else if (byte === CLOSE_STRING && --depth === 0) return position + 1
  }
  throw cutOff()
}

/** A name without its slash. Any of its characters may be written as `#` and two hexadecimal digits. */
export function decodeName(bytes: Buffer, start: number, end: number): string {
  if (end - start > MAX_NAME_BYTES) return ''
  const written = bytes.toString('latin1', start, end)
  if (!written.includes('#')) return written
  return written.replaceAll(/#([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}

/** Where the content of a stream begins, given where its keyword ends. */
export function startOfStream(bytes: Buffer, keywordEnd: number): number {
  const isReturn = bytes[keywordEnd] === RETURN
  return keywordEnd + (isReturn && bytes[keywordEnd + 1] === LINE_FEED ? 2 : 1)
}

/** Where the content of a stream ends that begins at `start`. */
export function endOfStream(bytes: Buffer, start: number): number {
  const end = bytes.indexOf('endstream', start, 'latin1')
  if (end < 0) throw cutOff()
  return end
}

function table(characters: string, value: 0 | 1): Uint8Array {
  const bytes = new Uint8Array(256).fill(1 - value)
  for (const byte of Buffer.from(characters, 'latin1')) bytes[byte] = value
  return bytes
}
