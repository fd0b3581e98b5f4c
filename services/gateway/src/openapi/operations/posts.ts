import { PostId } from '@herald/contracts/ids'
import {
  CURSOR,
  EDITED_POST,
  IDS,
  IMMEDIATE_POST,
  NO_SUCH_POST,
  PUBLISHED_POST,
  SCHEDULED_POST,
  TOO_LONG,
} from '../examples.ts'
import type { OperationDocs, ParamDoc } from '../operation-doc.ts'
import type { Refusal } from '../refusals.ts'

const POST_ID: ParamDoc = { schema: PostId, example: IDS.post }

const NOT_ALL_CHANNELS: Refusal = {
  code: 'forbidden_scope',
  when: 'The key is limited to channels, and not all channels of the post are among them.',
  message: 'This key is limited to channels that do not include all channels of the post.',
}
const BROKEN_RULE: Refusal = {
  code: 'validation_failed',
  when: 'A platform rule is not met; `details.violations` names all of them.',
  message: TOO_LONG.message,
  details: { violations: [TOO_LONG] },
}
const WRONG_TIME: Refusal = {
  code: 'validation_failed',
  when: 'The publish time is more than 60 seconds ago, or more than two years ahead.',
  message: 'The publish time is in the past.',
  details: { issues: [{ path: 'publishAt', message: 'is in the past' }] },
}
const OTHER_PLATFORM: Refusal = {
  code: 'validation_failed',
  when: 'There is text, or there are options, for a platform that none of the channels is on.',
  message: 'The post has text or options for a platform that none of its channels is on.',
  details: {
    issues: [
      {
        path: 'platformContent.MASTODON',
        message: 'is for a platform that none of the channels is on',
      },
    ],
  },
}

/** The endpoints of posts. */
export const POST_OPERATIONS = {
  listPosts: {
    tag: 'Posts',
    summary: 'List posts',
    description: `
Posts, newest first, with the state, the live URL and the error of each channel.

- \`limit\` is 1 to 100, and 25 unless given.
- \`from\` and \`to\` compare with \`scheduledAt\`; \`from\` is part of the range and \`to\` is not. They need a UTC offset, whose
  \`+\` is written \`%2B\` in a URL.
- \`cursor\` is the \`nextCursor\` of the page before, sent with the same filters; any other is 422. \`nextCursor\` is \`null\` on
  the last page.
- A key that is limited to channels sees the posts with at least one of them, and of those posts only these channels.`,
    query: {
      status: 'published',
      channelId: IDS.mastodon,
      from: '2026-12-01T00:00:00Z',
      to: '2027-01-01T00:00:00+01:00',
      limit: '25',
      cursor: CURSOR,
    },
    answer: 'A page of posts.',
    answers: {
      firstPage: {
        summary: 'A page with more behind it',
        value: { data: [SCHEDULED_POST, PUBLISHED_POST], nextCursor: CURSOR },
      },
      lastPage: { summary: 'The last page', value: { data: [PUBLISHED_POST], nextCursor: null } },
    },
    refusals: {
      foreignCursor: {
        code: 'validation_failed',
        when: 'The cursor is not one of this list with these filters.',
        message: 'The cursor is not one of this list.',
        details: { issues: [{ path: 'cursor', message: 'is not a cursor of this list' }] },
      },
    },
  },
  createPost: {
    tag: 'Posts',
    summary: 'Create a post',
    description: `
Schedules a post to one or more channels, or publishes it now when \`publishAt\` is left out: then its \`scheduledAt\` is the
time of its creation and it is taken up at once. A post that was answered with 201 is never lost and never published twice.

- \`publishAt\` needs a UTC offset. Up to 60 seconds ago is now; earlier, and more than two years ahead, is 422.
- \`platformContent\` replaces \`content\` for the channels of a platform; an object per platform, such as \`mastodon\`, holds
  what only that platform takes. Either of them for a platform that no channel is on is 422.
- A post without text and without media is 422. White space and characters without width are no text.
- The rules of all platforms are checked now, and every one that is not met is in \`details.violations\`.
- A channel that is unknown, disconnected or not the key's is 422. One that must be connected again is 409
  \`reauth_required\`.
- The same post within 5 minutes is 409 \`duplicate_post\`. The same are posts of one organization with equal texts, options,
  channels in any order, media in this order and publish time; a cancelled post does not count. An
  \`Idempotency-Key\` is looked at first: a post whose answer was lost is answered again, and is no duplicate.
- A late post is published until about 58 minutes after its due time, and fails with \`errorCode: missed\` then.`,
    requests: {
      scheduled: {
        summary: 'At a time, with a text of its own for Bluesky',
        value: {
          content: 'Fresh bread from seven.',
          channelIds: [IDS.mastodon, IDS.bluesky],
          publishAt: '2026-12-01T07:00:00+01:00',
          platformContent: { BLUESKY: 'Fresh bread from seven, as every day.' },
        },
      },
      now: {
        summary: 'Now',
        value: { content: 'Fresh bread from seven.', channelIds: [IDS.mastodon] },
      },
    },
    answer: 'The post, as it was accepted.',
    answers: {
      scheduled: { summary: 'Scheduled for a time', value: SCHEDULED_POST },
      now: { summary: 'Published now', value: IMMEDIATE_POST },
    },
    refusals: {
      duplicatePost: {
        code: 'duplicate_post',
        when: 'The same post was created within the last 5 minutes; `details.postId` is its id.',
        message: 'The same post was created within the last 5 minutes.',
        details: { postId: IDS.post },
      },
      reauthRequired: {
        code: 'reauth_required',
        when: 'A channel must be connected again; `details.channelIds` names each of them.',
        message: 'A channel must be connected again before it can be posted to.',
        details: { channelIds: [IDS.bluesky] },
      },
      limitReached: {
        code: 'limit_reached',
        when: "The plan's posts of this calendar month (UTC) are used up.",
        message: 'The monthly limit of posts is reached.',
      },
      unknownChannel: {
        code: 'validation_failed',
        when: "A channel is unknown, disconnected, another organization's or not the key's.",
        message: 'The post names a channel that is not connected.',
        details: {
          issues: [{ path: 'channelIds.1', message: 'is not one of your connected channels' }],
        },
      },
      unknownFile: {
        code: 'validation_failed',
        when: 'A file is unknown, not ready, or not in the media library of the organization.',
        message: 'The post names a file that is not in your library.',
        details: {
          issues: [{ path: 'mediaIds.0', message: 'is not a ready file of your media library' }],
        },
      },
      brokenRule: BROKEN_RULE,
      wrongTime: WRONG_TIME,
      otherPlatform: OTHER_PLATFORM,
    },
    hasEtag: true,
    takesIdempotencyKey: true,
  },
  getPost: {
    tag: 'Posts',
    summary: 'Read a post',
    description: `
A post with its state on every channel that the key sees.

- A channel that failed says why: \`error\` for a person, \`errorCode\` for a program, and \`retryable\` whether trying again
  could help. Nobody knows whether an \`unconfirmed\` one is live; it is never sent again
  unless you retry it and say so.
- While a channel is tried again, \`nextAttemptAt\` says when. \`latenessMs\` is the time from the due time to the first byte
  of the call that made it live.`,
    params: { id: POST_ID },
    answer: 'The post.',
    answers: {
      scheduled: { summary: 'Waiting for its time', value: SCHEDULED_POST },
      published: { summary: 'Live on one channel, failed on the other', value: PUBLISHED_POST },
    },
    refusals: { noSuchPost: NO_SUCH_POST },
    hasEtag: true,
  },
  editPost: {
    tag: 'Posts',
    summary: 'Change a scheduled post',
    description: `
Changes the text, the text per platform or the publish time of a post that is still \`scheduled\`. At least one field is
needed; what is left out stays.

- \`platformContent\` replaces the whole map; \`null\` clears it.
- The rules of all platforms are checked again on the result, as at \`POST /posts\`.
- It takes all channels of the post: a key that is limited to channels may not change a post that has others.`,
    params: { id: POST_ID },
    requests: {
      textAndTime: {
        summary: 'Another text for all channels, an hour later',
        value: {
          content: 'Fresh bread from eight.',
          platformContent: null,
          publishAt: '2026-12-01T08:00:00+01:00',
        },
      },
    },
    answer: 'The post with the change.',
    answers: { changed: { summary: 'Changed', value: EDITED_POST } },
    refusals: {
      notAllChannels: NOT_ALL_CHANNELS,
      noSuchPost: NO_SUCH_POST,
      notScheduled: {
        code: 'conflict',
        when: 'The post is no longer `scheduled`.',
        message: 'Only a scheduled post can be changed.',
      },
      brokenRule: BROKEN_RULE,
      wrongTime: WRONG_TIME,
      otherPlatform: OTHER_PLATFORM,
    },
    hasEtag: true,
  },
  deletePost: {
    tag: 'Posts',
    summary: 'Cancel or remove a post',
    description: `
Cancels a scheduled post, or removes a published or failed one from Herald. What is live on a platform stays there. It takes
all channels of the post, like a change.`,
    params: { id: POST_ID },
    answer: 'The post is gone.',
    answers: { deleted: { summary: 'Gone', value: { id: IDS.post, deleted: true } } },
    refusals: {
      notAllChannels: NOT_ALL_CHANNELS,
      noSuchPost: NO_SUCH_POST,
      publishing: {
        code: 'conflict',
        when: 'The post is being published right now.',
        message: 'The post is being published right now.',
      },
    },
    hasEtag: true,
  },
} satisfies OperationDocs<'listPosts' | 'createPost' | 'getPost' | 'editPost' | 'deletePost'>
