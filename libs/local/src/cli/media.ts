import { MediaFilter } from '@herald/contracts/media'
import { type Command, table, UsageError } from './command.ts'

const ORG = { value: 'ORG', help: 'The organization it belongs to.', required: true }
const MEDIA = { value: 'MEDIA', option: 'media', help: 'The id of the file.' }
const GIGABYTE = 1024 ** 3

/** `media list`, `media get`, `media delete`, `media usage`. */
export const MEDIA_COMMANDS: Command[] = [
  {
    name: 'media list',
    help: 'List the ready files of an organization, newest first.',
    options: {
      org: { value: 'ORG', help: 'Whose files.', required: true },
      type: { value: 'TYPE', help: `One of ${MediaFilter.options.join(', ')}.`, check: typeOf },
      q: { value: 'WORDS', help: 'Only files whose name, alt text or description has them all.' },
      limit: { value: 'N', help: 'How many at most, 1 to 100; 25 without it.', check: limitOf },
      cursor: { value: 'CURSOR', help: 'The nextCursor of the page before.' },
    },
    async run({ media }, { options }) {
      const page = await media.list({
        caller: callerOf(options),
        type: typeOf(options.type),
        q: options.q,
        limit: limitOf(options.limit),
        cursor: options.cursor,
      })
      const rows = page.data.map((one) => [
        one.id,
        one.type,
        String(one.sizeBytes),
        one.createdAt,
        one.fileName,
      ])
      const more = page.nextCursor === null ? [] : [`More with --cursor ${page.nextCursor}`]
      return { json: page, lines: [...table(rows), ...more] }
    },
  },
  {
    name: 'media get',
    help: 'Show a file.',
    argument: MEDIA,
    options: { org: ORG },
    async run({ media }, { argument, options }) {
      const one = await media.get({ caller: callerOf(options), mediaId: argument })
      const facts = Object.entries(one).filter(([, value]) => value !== null)
      return { json: one, lines: table(facts.map(([name, value]) => [name, String(value)])) }
    },
  },
  {
    name: 'media delete',
    help: 'Delete a file for good, unless a post waits for it.',
    argument: MEDIA,
    options: { org: ORG },
    async run({ media }, { argument, options }) {
      const deleted = await media.remove({ caller: callerOf(options), mediaId: argument })
      return { json: deleted, lines: [`Deleted ${deleted.id}.`] }
    },
  },
  {
    name: 'media usage',
    help: 'Show how much of its storage an organization uses.',
    options: { org: { value: 'ORG', help: 'Whose storage.', required: true } },
    async run({ media }, { options }) {
      const usage = await media.usage({ organizationId: options.org ?? '' })
      const { bytes, limitBytes } = usage
      const share = ((bytes / limitBytes) * 100).toFixed(1)
      return {
        json: usage,
        lines: [`${bytes} bytes of ${limitBytes} (${limitBytes / GIGABYTE} GB), ${share} %.`],
      }
    },
  },
]

function callerOf({ org }: Record<string, string>) {
  return { organizationId: org ?? '', channels: 'all', actor: 'app:operator' } as const
}

function typeOf(text: string | undefined): MediaFilter | undefined {
  const parsed = MediaFilter.optional().safeParse(text)
  if (parsed.success) return parsed.data
  throw new UsageError(`--type must be one of ${MediaFilter.options.join(', ')}.`)
}

function limitOf(text = '25'): number {
  if (/^([1-9][0-9]?|100)$/.test(text)) return Number(text)
  throw new UsageError('--limit must be a number from 1 to 100.')
}
