import type { BusUser } from '@herald/contracts/bus-users'
import type { DurableConsumer } from '@herald/contracts/consumers'
import {
  DEAD_LETTER_STREAM,
  deadLetterSubject,
  EVENTS_STREAM,
  replaySubject,
} from '@herald/contracts/events'
import { inboxPrefix, rpcSubject } from '@herald/contracts/rpc'
import { consumerOf, type Team } from './teams.ts'

/** What a user may do, and nothing else. */
export type Permissions = {
  publish: string[]
  subscribe: string[]
  /** For how many seconds a call may be answered, once, where it asked to be. Without it nothing can be answered. */
  answerSeconds?: number
}

const DEADLINE_MS = 5_000
/** How long an operator waits for an event to be handled once more. */
const REPLAY_MS = 60_000
const MARGIN_SECONDS = 60

/** Reading dead letters, having them handled by those that gave them up, and marking those that were. */
const REPLAYING = [
  `$JS.API.STREAM.MSG.GET.${DEAD_LETTER_STREAM}`,
  replaySubject('*'),
  deadLetterSubject('*.replayed.*'),
]

/** What a program of Herald may do. */
export function permissionsOf(user: BusUser): Permissions {
  const { name, serves, calls, publishes, overhears, consumers } = user
  const operations = Object.entries(serves?.operations ?? {})
  const served = operations.map(([operation]) => rpcSubject(serves?.service ?? '', operation))
  const deadlines = [
    ...operations.map(([, { timeoutMs = DEADLINE_MS }]) => timeoutMs),
    ...consumers.map(() => REPLAY_MS),
  ]
  return {
    publish: [
      ...calls,
      ...publishes,
      ...(publishes.length > 0 ? [`$JS.API.STREAM.INFO.${EVENTS_STREAM}`] : []),
      ...(user.readsBack ? [`$JS.API.STREAM.MSG.GET.${EVENTS_STREAM}`] : []),
      ...consumers.flatMap(reading),
      ...consumers.map(({ durable }) => deadLetterSubject(durable)),
      ...(user.replays ? REPLAYING : []),
    ],
    subscribe: [
      inboxOf(name),
      ...served,
      ...overhears,
      ...consumers.map(({ durable }) => replaySubject(durable)),
    ],
    ...(deadlines.length > 0 && {
      answerSeconds: Math.max(...deadlines) / 1e3 + MARGIN_SECONDS,
    }),
  }
}

/** What another team may do: read from its one consumer. */
export function permissionsOfTeam(team: Team): Permissions {
  return { publish: reading(consumerOf(team)), subscribe: [inboxOf(team.name)] }
}

/** What provisioning may do: make and change the streams and these consumers, and delete nothing. */
export function permissionsToProvision(consumers: readonly DurableConsumer[]): Permissions {
  const streams = [EVENTS_STREAM, DEAD_LETTER_STREAM]
  return {
    publish: [
      '$JS.API.INFO',
      ...streams.flatMap((stream) =>
        ['INFO', 'CREATE', 'UPDATE'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
      ),
      ...consumers.flatMap(({ stream, durable }) => [
        `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
        `$JS.API.CONSUMER.CREATE.${stream}.${durable}.>`,
      ]),
    ],
    subscribe: [inboxOf('provision')],
  }
}

function inboxOf(name: string): string {
  return `${inboxPrefix(name)}.>`
}

/** Asking for the messages of a consumer, and acknowledging them. */
function reading({ stream, durable }: DurableConsumer): string[] {
  return [
    `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
    `$JS.ACK.${stream}.${durable}.>`,
  ]
}
