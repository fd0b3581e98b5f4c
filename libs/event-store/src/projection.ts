/** A table of a read model. `columns` are all its columns; `key` is its primary key. */
export type ReadTable = {
  name: string
  columns: readonly string[]
  key: readonly string[]
  /** The column that holds the id of the stream a row comes from. */
  stream: string
}

export type Row = Record<string, unknown>

/**
 * A read model that is a pure function of a stream's state: `rows` says which rows each table holds for that
 * stream. The same function writes the rows with each append, checks them, and rebuilds them, so the read model
 * is the fold of the events by construction.
 */
export type Projection<State> = {
  tables: readonly ReadTable[]
  rows: (state: State, stream: { id: string; version: number }) => Record<string, Row[]>
}

/** `insert ... on conflict do update` of the rows in the JSON parameter. Newer rows are never overwritten by older. */
export function upsertRows(table: ReadTable, parameter: string): string {
  const columns = table.columns.join(', ')
  const changes = table.columns
    .filter((column) => !table.key.includes(column))
    .map((column) => `${column} = excluded.${column}`)
  return `insert into ${table.name} (${columns})
    select ${columns} from jsonb_populate_recordset(null::${table.name}, ${parameter}::jsonb)
    on conflict (${table.key.join(', ')}) do update set ${changes.join(', ')}`
}

/** `delete` of the rows of a stream (`streamParameter`) that are not in the JSON parameter. */
export function deleteOtherRows(
  table: ReadTable,
  streamParameter: string,
  parameter: string,
): string {
  const same = table.key.map((column) => `kept.${column} = old.${column}`).join(' and ')
  return `delete from ${table.name} old where old.${table.stream} = ${streamParameter} and not exists (
    select from jsonb_populate_recordset(null::${table.name}, ${parameter}::jsonb) kept where ${same})`
}
