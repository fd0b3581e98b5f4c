import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** An append-only file of JSON lines. */
export type Ledger = {
  /** What was written before, oldest first. */
  lines: unknown[]
  /** Returns when the line has been handed to the operating system, so that it outlives this process. */
  append: (line: unknown) => void
  clear: () => void
  close: () => void
}

/** Opens the ledger in a folder; without a folder nothing is kept. */
export function openLedger(dataDir: string | undefined): Ledger {
  if (dataDir === undefined)
    return { lines: [], append: () => {}, clear: () => {}, close: () => {} }
  mkdirSync(dataDir, { recursive: true })
  const file = join(dataDir, 'ledger.jsonl')
  const whole = wholeLines(existsSync(file) ? readFileSync(file) : Buffer.alloc(0))
  const lines = parseLines(file, whole.toString())
  const descriptor = openSync(file, 'a')
  // A line that a crash cut off was never answered, so it did not happen.
  ftruncateSync(descriptor, whole.length)
  return {
    lines,
    append: (line) => appendFileSync(descriptor, `${JSON.stringify(line)}\n`),
    clear: () => ftruncateSync(descriptor, 0),
    close: () => closeSync(descriptor),
  }
}

function wholeLines(content: Buffer): Buffer {
  return content.subarray(0, content.lastIndexOf('\n') + 1)
}

function parseLines(file: string, text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index): unknown => {
      try {
        return JSON.parse(line)
      } catch (cause) {
        throw new Error(`Line ${index + 1} of ${file} cannot be read.`, { cause })
      }
    })
}
