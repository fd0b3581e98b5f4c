import { accounts, KEY_EVENT_ACTIONS } from './accounts.ts'
import { CHANNEL_EVENT_ACTIONS, channels } from './channels.ts'
import { CONSUMERS, type DurableConsumer } from './consumers.ts'
import { eventSubject } from './events.ts'
import { media, MEDIA_EVENT_ACTIONS } from './media.ts'
import { POST_EVENT_ACTIONS } from './post-events.ts'
import { posts } from './posts.ts'
import { quota } from './quota.ts'
import { type Contract, rpcSubject } from './rpc.ts'

/** What a program does on NATS; what stands nowhere here it may not do. */
export type BusUser = {
  /** Its user, and what its inbox is called after. */
  name: string
  /** The calls it answers. */
  serves?: Contract
  /** The subjects of the calls it makes. */
  calls: readonly string[]
  /** The subjects of the events it publishes. */
  publishes: readonly string[]
  /** The subjects of events that it listens to as they pass. */
  overhears: readonly string[]
  /** The durable consumers it reads from. */
  consumers: readonly DurableConsumer[]
  /** Whether it reads what is on the stream of events, which its database may lack after a restore. */
  readsBack?: boolean
  /** Whether it reads the dead letters of all consumers and has them handled once more. */
  replays?: boolean
}

const NOTHING = { calls: [], publishes: [], overhears: [], consumers: [] } as const

/** Every program of Herald that speaks over NATS, but for the one that provisions it. */
export const BUS_USERS: readonly BusUser[] = [
  {
    ...NOTHING,
    name: 'gateway',
    calls: [
      ...callsOf(accounts, ['verifyKey']),
      ...callsOf(channels, ['list', 'choices', 'finishConnect', 'chooseAccounts']),
      ...callsOf(media, ['list', 'import', 'createUpload', 'get', 'remove', 'complete']),
      ...callsOf(posts, ['create', 'validate', 'get', 'list', 'edit', 'remove', 'events', 'retry']),
      ...callsOf(quota, ['admit']),
    ],
    overhears: [eventSubject('key', '*', KEY_EVENT_ACTIONS.KeyRevoked)],
  },
  {
    ...NOTHING,
    name: 'accounts',
    serves: accounts,
    publishes: eventsOf('key', KEY_EVENT_ACTIONS),
  },
  {
    ...NOTHING,
    name: 'quota',
    serves: quota,
    calls: [...callsOf(accounts, ['limitsOf']), ...callsOf(posts, ['filterCreated'])],
    consumers: [CONSUMERS.quotaScheduled, CONSUMERS.quotaCancelled],
  },
  {
    ...NOTHING,
    name: 'channels',
    serves: channels,
    publishes: eventsOf('channel', CHANNEL_EVENT_ACTIONS),
  },
  {
    ...NOTHING,
    name: 'media',
    serves: media,
    calls: callsOf(posts, ['get', 'holding']),
    publishes: eventsOf('media', MEDIA_EVENT_ACTIONS),
    consumers: [CONSUMERS.mediaPosts, CONSUMERS.mediaDescriber],
  },
  {
    ...NOTHING,
    name: 'posts',
    serves: posts,
    calls: [
      ...callsOf(channels, ['getForPosting']),
      ...callsOf(media, ['attach', 'release', 'getForPosting']),
      ...callsOf(quota, ['reservePost', 'releasePost']),
    ],
    publishes: eventsOf('post', POST_EVENT_ACTIONS),
    overhears: [eventSubject('channel', '*', '*')],
    readsBack: true,
  },
  {
    ...NOTHING,
    name: 'publisher',
    calls: [
      ...callsOf(posts, ['getForPublishing', 'recordChannelResult']),
      ...callsOf(channels, ['access', 'reportDeadToken']),
      ...callsOf(media, ['getForPublishing', 'rendition']),
    ],
    consumers: [CONSUMERS.publisher],
  },
  {
    // The operator's command line: every call, `events tail`, and dead letters.
    ...NOTHING,
    name: 'herald',
    calls: [accounts, channels, media, posts].flatMap(everyCallOf),
    overhears: [eventSubject('*', '*', '>')],
    replays: true,
  },
]

function callsOf<C extends Contract>(
  { service }: C,
  operations: readonly (keyof C['operations'] & string)[],
): string[] {
  return operations.map((operation) => rpcSubject(service, operation))
}

function everyCallOf({ service, operations }: Contract): string[] {
  return Object.keys(operations).map((operation) => rpcSubject(service, operation))
}

function eventsOf(entity: string, actions: Record<string, string>): string[] {
  return Object.values(actions).map((action) => eventSubject(entity, '*', action))
}
