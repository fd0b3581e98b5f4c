/** Prints what came of each row in each column. */
export function printTable<Row extends string, Column extends string>(
  rows: readonly Row[],
  columns: readonly Column[],
  cell: (row: Row, column: Column) => string,
): void {
  const lines = [
    ['', ...columns],
    ...rows.map((row) => [row, ...columns.map((column) => cell(row, column))]),
  ]
  const widths = ['', ...columns].map((_, at) =>
    Math.max(...lines.map((line) => line[at]?.length ?? 0)),
  )
  const printed = lines.map((line) =>
    line.map((text, at) => text.padEnd(widths[at] ?? 0)).join(' | '),
  )
  process.stdout.write(`${printed.join('\n')}\n`)
}
