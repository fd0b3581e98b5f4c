import type { accounts } from '@herald/contracts/accounts'
import type { channels } from '@herald/contracts/channels'
import type { media } from '@herald/contracts/media'
import type { posts } from '@herald/contracts/posts'
import type { Client } from '@herald/contracts/rpc'
import type { Bus } from '@herald/service/bus'

/** What a command works with: the running stack. */
export type Context = {
  accounts: Client<typeof accounts>
  channels: Client<typeof channels>
  media: Client<typeof media>
  posts: Client<typeof posts>
  bus: Bus
  /** Where browsers reach the API, if it is known. */
  publicUrl: string | undefined
  /** Writes one line to standard output. */
  print: (line: string) => void
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
}

export type Option = {
  /** What stands for the value in the help, such as `ID`. A flag has none: it is given, or it is not. */
  value?: string
  help: string
  required?: boolean
  /** Throws `UsageError` for a value that makes no sense, before anything is asked of Herald. */
  check?: (text: string) => unknown
}

/** What a command has to show: a value for `--json`, and lines for people. */
export type Result = { json: unknown; lines: string[]; exitCode?: number }

/** One command of the command line, such as `org create`. */
export type Command = {
  name: string
  help: string
  /** The one positional argument, if it takes any. It may be given as `--id` or under its option's name as well. */
  argument?: { value: string; option: string; help: string; isOptional?: boolean }
  options: Record<string, Option>
  run: (
    context: Context,
    input: { argument: string; options: Record<string, string>; flags: ReadonlySet<string> },
  ) => Promise<Result | undefined>
}

/** The command was called in a wrong way; exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** The items of a comma-separated option. */
export function listOf(text: string | undefined): string[] | undefined {
  return text
    ?.split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** Columns of text, each as wide as its widest cell. */
export function table(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
