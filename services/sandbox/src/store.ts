import { z } from 'zod'
import type { Ledger } from './ledger.ts'

const Change = z.object({ table: z.string(), id: z.string(), row: z.unknown() })
type Change = z.infer<typeof Change>
const Changes = z.array(Change)

/** Rows by id, in the order in which they were first put. */
export type Table<Row> = {
  get: (id: string) => Row | undefined
  all: () => Row[]
  entries: () => [string, Row][]
  put: (id: string, row: Row) => void
}

export type Store = {
  /** The table of this name, with the rows that the ledger has for it. To be called once for each name. */
  table: <Row>(name: string, schema: z.ZodType<Row>) => Table<Row>
  /** Everything put by the work becomes one line of the ledger: after a crash all of it is there or nothing. */
  batch: <Result>(work: () => Result) => Result
  reset: () => void
}

/** All that the sandbox knows: tables in memory, each change also in the ledger before the work returns. */
export function createStore(ledger: Ledger): Store {
  const replayed = replay(ledger.lines)
  const tables: Map<string, unknown>[] = []
  let open: Change[] | undefined
  const write = (change: Change) => {
    if (open) open.push(change)
    else ledger.append([change])
  }

  function table<Row>(name: string, schema: z.ZodType<Row>): Table<Row> {
    const rows = new Map<string, Row>()
    for (const [id, row] of replayed.get(name) ?? []) rows.set(id, schema.parse(row))
    tables.push(rows)
    return {
      get: (id) => rows.get(id),
      all: () => [...rows.values()],
      entries: () => [...rows],
      put(id, row) {
        rows.set(id, row)
        write({ table: name, id, row })
      },
    }
  }

  function batch<Result>(work: () => Result): Result {
    const changes: Change[] = []
    open = changes
    try {
      return work()
    } finally {
      open = undefined
      if (changes.length > 0) ledger.append(changes)
    }
  }

  function reset() {
    for (const rows of tables) rows.clear()
    ledger.clear()
  }

  return { table, batch, reset }
}

function replay(lines: unknown[]): Map<string, Map<string, unknown>> {
  const tables = new Map<string, Map<string, unknown>>()
  for (const { table, id, row } of lines.flatMap((line) => Changes.parse(line))) {
    const rows = tables.get(table) ?? new Map<string, unknown>()
    tables.set(table, rows.set(id, row))
  }
  return tables
}
