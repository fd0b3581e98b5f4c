import { AppError } from '@herald/contracts/errors'
import {
  type DeadLetter,
  type DeadLetterBox,
  openDeadLetters,
  type ReplayOutcome,
} from '@herald/service/dead-letter-box'
import { type Command, type Context, table, UsageError } from './command.ts'

const FILTERS = {
  consumer: { value: 'CONSUMER', help: 'Only those that this consumer gave up.' },
  type: { value: 'TYPE', help: 'Only events of this type, such as PostScheduled.' },
}
const LETTER = { value: 'LETTER', option: 'letter', help: 'The number of the letter.' }

/** `dead-letters list`, `dead-letters show`, `dead-letters replay`. */
export const DEAD_LETTER_COMMANDS: Command[] = [
  {
    name: 'dead-letters list',
    help: 'List the events that consumers gave up, oldest first.',
    options: {
      ...FILTERS,
      all: { help: 'Also those that were handled after all.' },
      limit: { value: 'N', help: 'How many at most, 1 to 1000; 25 without it.', check: limitOf },
      cursor: { value: 'CURSOR', help: 'The nextCursor of the page before.', check: positionOf },
    },
    async run(context, { options, flags }) {
      const limit = limitOf(options.limit)
      const box = await openBox(context)
      const found: DeadLetter[] = []
      for await (const letter of chosen(box, options, flags.has('all'))) {
        found.push(letter)
        if (found.length > limit) break
      }
      const data = found.slice(0, limit)
      const nextCursor = found.length > limit ? String(data.at(-1)?.id) : null
      const more = nextCursor === null ? [] : [`More with --cursor ${nextCursor}`]
      return {
        json: { data: data.map(summaryOf), nextCursor },
        lines: [...table(data.map(rowOf)), ...more],
      }
    },
  },
  {
    name: 'dead-letters show',
    help: 'Show an event that a consumer gave up, as it came.',
    argument: LETTER,
    options: {},
    async run(context, { argument }) {
      const letter = await findLetter(await openBox(context), argument)
      const facts = Object.entries(summaryOf(letter)).filter(([, value]) => value !== null)
      return {
        json: { ...summaryOf(letter), body: letter.body },
        lines: [
          ...table(facts.map(([name, value]) => [name, String(value)])),
          '',
          letter.event ? JSON.stringify(letter.event, null, 2) : letter.body,
        ],
      }
    },
  },
  {
    name: 'dead-letters replay',
    help: 'Have events handled once more by the consumer that gave them up, oldest first. Exit code 1 unless all were.',
    argument: { ...LETTER, isOptional: true },
    options: {
      all: { help: 'All that were not handled yet, instead of one; the filters narrow it.' },
      ...FILTERS,
      again: { help: 'Also a letter that was handled on an earlier replay.' },
    },
    async run(context, { argument, options, flags }) {
      if ((argument !== '') === flags.has('all'))
        throw new UsageError('Name one LETTER, or give --all.')
      const box = await openBox(context)
      const letters = flags.has('all')
        ? await waiting(box, options)
        : [await replayable(box, argument, flags.has('again'))]
      const data = []
      for (const letter of letters) {
        if (context.signal.aborted) break
        data.push({ ...summaryOf(letter), ...(await box.replay(letter)) })
      }
      return {
        json: { data },
        lines: data.length > 0 ? data.map(lineOf) : ['There is nothing to replay.'],
        exitCode: data.every(({ outcome }) => outcome === 'handled') ? 0 : 1,
      }
    },
  },
]

type Filters = { consumer?: string; type?: string; cursor?: string }

async function openBox({ bus }: Context): Promise<DeadLetterBox> {
  return openDeadLetters(await bus.connection())
}

async function* chosen(
  box: DeadLetterBox,
  { consumer, type, cursor }: Filters,
  isReplayedToo: boolean,
): AsyncGenerator<DeadLetter> {
  for await (const letter of box.after(positionOf(cursor), consumer))
    if (
      (isReplayedToo || !letter.replayedAt) &&
      (type === undefined || letter.event?.type === type)
    )
      yield letter
}

/** All of them are found before the first is replayed, so that what fails meanwhile is not replayed in the same run. */
async function waiting(box: DeadLetterBox, filters: Filters): Promise<DeadLetter[]> {
  const letters = []
  for await (const letter of chosen(box, filters, false)) letters.push(letter)
  return letters
}

async function replayable(box: DeadLetterBox, id: string, isAgain: boolean): Promise<DeadLetter> {
  const letter = await findLetter(box, id)
  if (letter.replayedAt && !isAgain)
    throw new AppError(
      'conflict',
      `It was handled at ${letter.replayedAt}. Give --again to repeat it.`,
    )
  return letter
}

async function findLetter(box: DeadLetterBox, text: string): Promise<DeadLetter> {
  const letter = await box.find(positionOf(text))
  if (!letter) throw new AppError('not_found', 'There is no such dead letter.')
  return letter
}

/** A letter without its body. */
function summaryOf({ id, consumer, at, reason, subject, event, replayedAt }: DeadLetter) {
  return {
    id,
    consumer,
    at,
    reason,
    subject,
    replayedAt: replayedAt ?? null,
    type: event?.type ?? null,
    event: event?.id ?? null,
    about: event?.subject ?? null,
    organizationId: event?.organizationid ?? null,
  }
}

function rowOf(letter: DeadLetter): string[] {
  const { id, at, consumer, event, reason, replayedAt } = letter
  const state = replayedAt ? `(handled ${replayedAt}) ` : ''
  return [String(id), at, consumer, event?.type ?? '-', event?.subject ?? '-', `${state}${reason}`]
}

function lineOf(done: ReturnType<typeof summaryOf> & ReplayOutcome): string {
  return `${done.id} ${done.consumer} ${done.type ?? '-'} ${done.about ?? '-'}: ${sayOutcome(done)}`
}

function sayOutcome(done: ReplayOutcome): string {
  switch (done.outcome) {
    case 'handled':
      return 'handled.'
    case 'failed':
      return `failed again, and stays: ${done.reason}`
    case 'unknown':
      return 'no answer in time. It may have been handled; it stays, and can be replayed again.'
    case 'absent':
      return 'no process of this consumer runs; nothing has happened.'
  }
}

function positionOf(text = '0'): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text)
  throw new UsageError('The number of a letter is digits only.')
}

function limitOf(text = '25'): number {
  if (/^([1-9][0-9]{0,2}|1000)$/.test(text)) return Number(text)
  throw new UsageError('--limit must be a number from 1 to 1000.')
}
