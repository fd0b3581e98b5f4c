import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** One part of the state: it changes by recorded events alone, so it can be built again from them. */
export type Part<State, Event> = {
  readonly state: State
  /** Writes the event to the ledger, then applies it. Nothing is applied when writing fails. */
  record: (event: Event) => void
}

export type PartOptions<State, Event> = {
  name: string
  schema: z.ZodType<Event>
  empty: () => State
  apply: (state: State, event: Event) => void
}

export type Ledger = {
  part: <State, Event>(options: PartOptions<State, Event>) => Part<State, Event>
  /** Called when everything is forgotten, for what is not recorded. */
  onClear: (forget: () => void) => void
  clear: () => void
  close: () => void
}

const Line = z.object({ part: z.string(), event: z.unknown() })

/**
 * The append-only ledger: JSON lines in `ledger.jsonl` of the folder, or nowhere without one. A line is written in one
 * piece before the event counts, and it is in the operating system's hands before anyone is answered, so it outlives
 * the process.
 */
export function openLedger(dataDir: string | undefined): Ledger {
  const file = dataDir === undefined ? undefined : openFile(dataDir)
  const forgets: (() => void)[] = []
  return {
    part: ({ name, schema, empty, apply }) => {
      let state = empty()
      for (const event of file?.kept.get(name) ?? []) apply(state, schema.parse(event))
      file?.kept.delete(name)
      forgets.push(() => (state = empty()))
      return {
        get state() {
          return state
        },
        record: (event) => {
          if (file) append(file.descriptor, `${JSON.stringify({ part: name, event })}\n`)
          apply(state, event)
        },
      }
    },
    onClear: (forget) => void forgets.push(forget),
    clear: () => {
      if (file) ftruncateSync(file.descriptor, 0)
      for (const forget of forgets) forget()
    },
    close: () => {
      if (file) closeSync(file.descriptor)
    },
  }
}

function openFile(dataDir: string) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, 'ledger.jsonl')
  const descriptor = openSync(path, 'a+', 0o600)
  const bytes = readFileSync(path)
  // A process that was killed while it wrote leaves a line without an end. It was never answered, so it never was.
  const end = bytes.lastIndexOf('\n') + 1
  if (end < bytes.length) ftruncateSync(descriptor, end)
  const kept = new Map<string, unknown[]>()
  for (const text of bytes.subarray(0, end).toString().split('\n')) {
    if (text === '') continue
    const { part, event } = Line.parse(JSON.parse(text))
    const events = kept.get(part)
    if (events) events.push(event)
    else kept.set(part, [event])
  }
  return { descriptor, kept }
}

function append(descriptor: number, line: string): void {
  const bytes = Buffer.from(line)
  const { size } = fstatSync(descriptor)
  try {
    if (writeSync(descriptor, bytes) !== bytes.length) throw new Error('The ledger is full.')
  } catch (error) {
    ftruncateSync(descriptor, size)
    throw error
  }
}
