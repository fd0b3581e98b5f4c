import { type Command, listOf, table } from './command.ts'

/** `post create`, `post history`, `post retry`. */
export const POST_COMMANDS: Command[] = [
  {
    name: 'post create',
    help: 'Schedule a post, or publish it now, as a person in the app would.',
    options: {
      org: { value: 'ORG', help: 'The organization it belongs to.', required: true },
      content: { value: 'TEXT', help: 'What it says.', required: true },
      channels: { value: 'A,B', help: 'The channels it goes to.', required: true },
      'publish-at': { value: 'T', help: 'When, ISO 8601 with an offset; now without it.' },
    },
    async run({ posts }, { options }) {
      const post = await posts.create({
        caller: { organizationId: options.org ?? '', channels: 'all', actor: 'app:operator' },
        source: 'app',
        body: {
          content: options.content ?? '',
          channelIds: listOf(options.channels) ?? [],
          ...(options['publish-at'] === undefined ? {} : { publishAt: options['publish-at'] }),
        },
      })
      return { json: post, lines: [`${post.id} is ${post.status} for ${post.scheduledAt}.`] }
    },
  },
  {
    name: 'post retry',
    help: 'Publish a post again on the channels where it failed.',
    argument: { value: 'POST', option: 'post', help: 'The id of the post.' },
    options: {
      org: { value: 'ORG', help: 'The organization it belongs to.', required: true },
      'include-unconfirmed': {
        help: 'Also where nobody knows whether it is live. Look at the account first.',
      },
    },
    async run({ posts }, { argument, options, flags }) {
      const post = await posts.retry({
        caller: { organizationId: options.org ?? '', channels: 'all', actor: 'app:operator' },
        postId: argument,
        body: { includeUnconfirmed: flags.has('include-unconfirmed') },
      })
      const waiting = post.channels.filter(({ status }) => status === 'draft')
      return {
        json: post,
        lines: [`${post.id} is ${post.status} again for ${waiting.length} of its channels.`],
      }
    },
  },
  {
    name: 'post history',
    help: 'Show everything that happened to a post.',
    argument: { value: 'POST', option: 'post', help: 'The id of the post.' },
    options: {},
    async run({ posts }, { argument }) {
      const { data } = await posts.history({ postId: argument })
      return {
        json: { data },
        lines: table(
          data.map(({ version, at, type, actor, data: facts }) => [
            String(version),
            at,
            type,
            actor ?? '',
            summary(facts),
          ]),
        ),
      }
    },
  },
]

const SHOWN = [
  'channelId',
  'url',
  'errorCode',
  'error',
  'latenessMs',
  'scheduledAt',
  'nextAttemptAt',
]

function summary(facts: Record<string, unknown>): string {
  return SHOWN.filter((name) => facts[name] !== undefined && facts[name] !== null)
    .map((name) => `${name}=${String(facts[name])}`)
    .join(' ')
}
