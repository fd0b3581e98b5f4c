import { CURSOR, HISTORY, IDS, NO_SUCH_POST, RETRIED_POST, TOO_LONG } from '../examples.ts'
import type { OperationDocs } from '../operation-doc.ts'
import { POST_OPERATIONS } from './posts.ts'

const { listPosts, createPost, getPost, editPost } = POST_OPERATIONS
const { unknownChannel, unknownFile, wrongTime, otherPlatform, reauthRequired } =
  createPost.refusals
const { notAllChannels } = editPost.refusals

/** The endpoints that check a post, tell what happened to it, and send it again. */
export const POST_ACTION_OPERATIONS = {
  validatePost: {
    tag: 'Posts',
    summary: 'Check a post',
    description: `
Takes the body of \`POST /posts\`, checks it in the same way, and changes nothing: no post, no duplicate to come, no hold of
files. Every rule of a platform that is not met is in \`violations\`, in the shape that \`POST /posts\` has in
\`details.violations\`; \`valid\` says that there is none.

- A channel that must be connected again, 409 \`reauth_required\` at \`POST /posts\`, is a violation of the rule
  \`reauthRequired\` here.
- What is not a rule of a channel is refused as at \`POST /posts\`: a body that is not valid, an unknown channel or file, a
  publish time in the past, text or options for a platform that no channel is on.
- Whether it is a duplicate, and whether the monthly limit of posts is reached, is only known once it is created.`,
    requests: createPost.requests,
    answer: 'Whether a post could be created from the body.',
    answers: {
      valid: { summary: 'No rule is broken', value: { valid: true, violations: [] } },
      invalid: {
        summary: 'Two rules are broken',
        value: {
          valid: false,
          violations: [
            {
              channelId: IDS.bluesky,
              platform: 'BLUESKY',
              rule: 'reauthRequired',
              path: 'channelIds.1',
              message: reauthRequired.message,
            },
            TOO_LONG,
          ],
        },
      },
    },
    refusals: { unknownChannel, unknownFile, wrongTime, otherPlatform },
  },
  listPostEvents: {
    tag: 'Posts',
    summary: 'Read what happened to a post',
    description: `
Everything that happened to a post, when and by whom, oldest first: the stored events that its state is made of. An event is
never changed, so what was read stays true; new ones come at the end.

- \`type\` says what happened and which facts \`data\` has: due times, the lateness of the start and of each channel, attempts,
  live URLs and errors. Texts are in none of them.
- \`sequence\` rises and may skip numbers. The public events on the bus have the same \`id\` and \`sequence\`.
- \`limit\` is 1 to 100, and 25 unless given. \`cursor\` is the \`nextCursor\` of the page before; any other is 422.
- A key that is limited to channels sees what is of the whole post and what is of its own channels, and nothing of others.
- A post that was removed has no history any more, like the post itself.`,
    params: getPost.params,
    query: { limit: '25', cursor: CURSOR },
    answer: 'A page of events.',
    answers: {
      history: {
        summary: 'Live on one channel, unconfirmed on the other',
        value: { data: HISTORY, nextCursor: null },
      },
    },
    refusals: { noSuchPost: NO_SUCH_POST, foreignCursor: listPosts.refusals.foreignCursor },
  },
  retryPost: {
    tag: 'Posts',
    summary: 'Send a post again where it failed',
    description: `
Publishes a post again on the channels on which it failed. It is \`scheduled\` again and due now, those channels are \`draft\`, and
everything else stays: a channel that is live is never sent to again. Once they have ended, the post is \`published\` or
\`failed\` by all of its channels.

- A channel that is \`unconfirmed\`, or was at any earlier try, is left out: nobody knows whether the post is live there. Look at
  the account. With \`includeUnconfirmed: true\` it is sent again all the same. Herald looks once more before it does, and uses
  the same key or record key, by which a platform that knows such keys takes a repeat for what it is; on any other the post may
  be there twice.
- A channel that is no longer connected is left out. One that must be connected again is 409, and nothing is sent.
- The post is late from now on: \`scheduledAt\` is the time of the retry, and about 58 minutes later it fails as \`missed\`.
- \`attempts\` of the channels begin anew. A retried post cannot be changed; deleting it before it starts removes it.
- Its files must still be in the media library, and are held again.
- A platform may say after all that an earlier try was a success. That wins, and the retry ends.
- It takes all channels of the post, like a change. No body is the same as an empty one.`,
    params: getPost.params,
    requests: {
      failed: { summary: 'What certainly failed', value: {} },
      unconfirmed: {
        summary: 'Also what may be live without anybody knowing',
        value: { includeUnconfirmed: true },
      },
    },
    answer: 'The post, which is due now.',
    answers: { retried: { summary: 'Sent again to one channel', value: RETRIED_POST } },
    refusals: {
      notAllChannels,
      noSuchPost: NO_SUCH_POST,
      notEnded: {
        code: 'conflict',
        when: 'The post has not ended yet.',
        message: 'The post has not ended yet.',
      },
      nothingFailed: {
        code: 'conflict',
        when: 'No channel of the post has failed.',
        message: 'No channel of the post has failed.',
      },
      onlyUnconfirmed: {
        code: 'conflict',
        when: 'All channels that failed may be live; `details.channelIds` names them.',
        message:
          'Nobody knows whether the post is live on the channels that failed. Look at the accounts, then retry with includeUnconfirmed.',
        details: { channelIds: [IDS.bluesky] },
      },
      notConnected: {
        code: 'conflict',
        when: 'No channel that failed is still connected; `details.channelIds` names them.',
        message: 'The channels that failed are not connected.',
        details: { channelIds: [IDS.bluesky] },
      },
      reauthRequired,
      fileGone: {
        ...unknownFile,
        when: 'A file of the post is no longer in the media library.',
      },
    },
    hasEtag: true,
    takesIdempotencyKey: true,
  },
} satisfies OperationDocs<'validatePost' | 'listPostEvents' | 'retryPost'>
