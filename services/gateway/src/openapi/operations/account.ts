import { ChannelId } from '@herald/contracts/ids'
import { BLUESKY_CHANNEL, IDS, MASTODON_CHANNEL, NO_SUCH_CHANNEL } from '../examples.ts'
import type { OperationDocs } from '../operation-doc.ts'

const QUOTA = {
  requestsPerMinute: 60,
  requestsPerMonth: 10_000,
  usedThisMonth: 880,
  resetsAt: '2026-12-01T00:00:00.000Z',
}
const ORGANIZATION = { id: IDS.organization, name: 'Corner Bakery', plan: 'PRO' } as const

/** The endpoints that tell who calls and where they can post. */
export const ACCOUNT_OPERATIONS = {
  getMe: {
    tag: 'Key',
    summary: 'Who am I?',
    description: `
The organization that the API key belongs to, and what the key may do. The key itself is never shown, only its first
16 characters.

\`key.channels\` is \`all\`, or the ids of the only channels that the key sees and posts to. A key whose \`expiresAt\` is
\`null\` does not expire.

\`quota\` is what the plan allows: requests of this key per minute, and of all keys of the organization per calendar month
(UTC), this one counted. 2147483647 is unlimited.`,
    answer: 'The organization, the key of the request, and what is left to it.',
    answers: {
      unlimitedKey: {
        summary: 'A key for all channels that does not expire',
        value: {
          organization: ORGANIZATION,
          key: {
            name: 'Website',
            prefix: 'herald_live_7Qm2',
            scopes: ['read', 'publish'],
            channels: 'all',
            expiresAt: null,
          },
          quota: QUOTA,
        },
      },
      limitedKey: {
        summary: 'A key that reads one channel until the end of the year',
        value: {
          organization: ORGANIZATION,
          key: {
            name: 'Dashboard',
            prefix: 'herald_live_c4Xa',
            scopes: ['read'],
            channels: [IDS.mastodon],
            expiresAt: '2027-01-01T00:00:00.000Z',
          },
          quota: QUOTA,
        },
      },
    },
  },
  listChannels: {
    tag: 'Channels',
    summary: 'List channels',
    description: `
The connected channels that the key can post to, oldest first, with the rules of each. A key that is limited to some
channels sees only those. Disconnected channels are left out.

A channel with the status \`reauth_required\` has to be connected again by a person before it can be posted to. A change of
a channel is seen by \`POST /posts\` within a second.`,
    answer: 'The channels, all of them: this list has no pages.',
    answers: {
      twoChannels: {
        summary: 'Two channels, one of which must be connected again',
        value: { data: [MASTODON_CHANNEL, BLUESKY_CHANNEL] },
      },
      none: { summary: 'No channel is connected', value: { data: [] } },
    },
  },
  listChannelOptions: {
    tag: 'Channels',
    summary: 'List what can be chosen for a channel',
    description: `
The values that the options of a post to this channel can have, where the platform has a list of them: boards of Pinterest,
privacy levels of TikTok, flairs of Reddit, categories of YouTube. \`field\` is the option, as a dotted path into the body
of \`POST /posts\`; \`value\` is what is sent, \`label\` the same for people.

Some choices depend on something else. Then \`choices\` is empty and \`needs\` names the parameter to ask again with, such
as \`subreddit\`. A platform without anything to choose has no entries, and takes no parameter.

The platform is asked, at most once a minute for the same.`,
    params: {
      id: {
        schema: ChannelId.meta({ description: 'The id of the channel.' }),
        example: IDS.mastodon,
      },
    },
    query: { subreddit: 'Breadit' },
    answer: 'The choices, as the platform offers them now.',
    answers: {
      boards: {
        summary: 'The boards of a Pinterest account',
        value: {
          data: [
            {
              field: 'pinterest.boardId',
              choices: [
                { value: '549755885175', label: 'Bread' },
                { value: '549755885176', label: 'Cakes' },
              ],
            },
          ],
        },
      },
      flairs: {
        summary: 'The flairs of a subreddit',
        value: {
          data: [{ field: 'reddit.flairId', choices: [{ value: '2c1b', label: 'Sourdough' }] }],
        },
      },
      needsMore: {
        summary: 'The flairs of a Reddit channel without a subreddit',
        value: { data: [{ field: 'reddit.flairId', choices: [], needs: 'subreddit' }] },
      },
      none: { summary: 'Nothing is to be chosen', value: { data: [] } },
    },
    refusals: {
      noSuchChannel: NO_SUCH_CHANNEL,
      reauthRequired: {
        code: 'reauth_required',
        when: 'The platform does not accept the access of the channel any more; a person must connect it again.',
        message: 'The channel must be connected again.',
        details: { channelIds: [IDS.mastodon] },
      },
      unknownParameter: {
        code: 'validation_failed',
        when: 'The platform does not ask for the parameter, or refuses its value; `details.issues` names it.',
        message: 'The query is not valid.',
        details: { issues: [{ path: 'subreddit', message: 'is not asked for by this channel' }] },
      },
    },
    hasEtag: true,
  },
} satisfies OperationDocs<'getMe' | 'listChannels' | 'listChannelOptions'>
