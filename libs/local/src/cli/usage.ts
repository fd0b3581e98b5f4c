import { parseArgs } from 'node:util'
import { type Command, table, UsageError } from './command.ts'

export type Call = {
  command: Command
  argument: string
  options: Record<string, string>
  flags: Set<string>
  isJson: boolean
}

/** What was asked on the command line: a call, or a text of help. Throws `UsageError`. */
export function readCall(commands: Command[], args: string[]): Call | { help: string } {
  const words = args.filter((word) => !word.startsWith('-'))
  const isHelp = args.includes('--help') || args.includes('-h')
  const command = commands.find(({ name }) => name === `${words[0]} ${words[1]}`)
  if (!command) {
    if (words.length === 0 || isHelp) return { help: overview(commands, words[0]) }
    throw new UsageError(`There is no command "${words.slice(0, 2).join(' ')}".`)
  }
  if (isHelp) return { help: helpOf(command) }
  return parseCall(command, args)
}

function parseCall(command: Command, args: string[]): Call {
  const { values, positionals } = parse(command, args)
  const ids = [...positionals.slice(2), ...takeIds(command, values)]
  const wanted = command.argument ? 1 : 0
  if (command.argument && !command.argument.isOptional && !ids[0])
    throw new UsageError(`${command.argument.value} is missing.`)
  if (ids.length > wanted) throw new UsageError(`"${ids[wanted]}" is one word too many.`)
  const missing = Object.entries(command.options).find(
    ([name, option]) => option.required && values[name] === undefined,
  )
  if (missing) throw new UsageError(`--${missing[0]} is missing.`)
  for (const [name, { check }] of Object.entries(command.options)) {
    const value = values[name]
    if (typeof value === 'string') check?.(value)
  }
  const given = Object.entries(values)
  const flags = new Set(given.filter(([, value]) => value === true).map(([name]) => name))
  return {
    command,
    argument: ids[0] ?? '',
    options: Object.fromEntries(
      given.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    ),
    flags,
    isJson: flags.has('json'),
  }
}

/** Takes the command's argument out of the options, where it may be given too. */
function takeIds({ argument }: Command, values: Values): string[] {
  if (!argument) return []
  return ['id', argument.option].flatMap((name) => {
    const value = values[name]
    delete values[name]
    return typeof value === 'string' ? [value] : []
  })
}

type Values = Record<string, string | boolean | undefined>

function parse(command: Command, args: string[]): { values: Values; positionals: string[] } {
  const ids = command.argument ? ['id', command.argument.option] : []
  const options = Object.fromEntries([
    ...ids.map((name) => [name, { type: 'string' as const }] as const),
    ...Object.entries(command.options).map(
      ([name, { value }]) => [name, { type: value ? 'string' : 'boolean' } as const] as const,
    ),
  ])
  try {
    return parseArgs({
      args,
      options: { ...options, json: { type: 'boolean' } },
      allowPositionals: true,
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function overview(commands: Command[], group: string | undefined): string {
  const shown = commands.filter(({ name }) => name.startsWith(`${group} `))
  const rows = (shown.length > 0 ? shown : commands).map((command) => [
    `  ${usageOf(command)}`,
    command.help,
  ])
  return [
    'herald: the command line of a running Herald.',
    '',
    ...table(rows),
    '',
    'Every command takes --json (one JSON value on standard output) and --help.',
    'Exit codes: 0 done, 1 refused or failed, 2 called in a wrong way.',
  ].join('\n')
}

function helpOf(command: Command): string {
  const argument = command.argument ? [[`  ${command.argument.value}`, command.argument.help]] : []
  const options = Object.entries(command.options).map(([name, { value, help, required }]) => [
    `  --${[name, value].filter(Boolean).join(' ')}`,
    required ? `${help} Required.` : help,
  ])
  return [
    `herald ${usageOf(command)}`,
    '',
    command.help,
    '',
    ...table([...argument, ...options, ['  --json', 'Print one JSON value.']]),
  ].join('\n')
}

function usageOf({ name, argument, options }: Command): string {
  const required = Object.entries(options).filter(([, option]) => option.required)
  const shown = argument?.isOptional ? `[${argument.value}]` : argument?.value
  return [name, shown, ...required.map(([option, { value }]) => `--${option} ${value}`)]
    .filter((part) => part !== undefined)
    .join(' ')
}
