import { z } from 'zod'
import { readJson } from '../read-json.ts'
import type { ErrorTable } from '../refusal.ts'

const MastodonError = z.object({
  error: z.string(),
  error_description: z.string().optional(),
})

const mayNotUpload =
  'The access token may not upload files. Connect the channel with a token that has the scope write:media.'
const reconnect = 'Mastodon does not accept the access token any more. Connect the channel again.'

/** What Mastodon's refusals mean. Rows are looked at from the top; the rest is decided by the status. */
export const MASTODON_ERRORS: ErrorTable = {
  name: 'Mastodon',
  read: (text) => {
    const body = readJson(MastodonError, text)
    return { code: body?.error, message: body?.error_description ?? body?.error }
  },
  rows: [
    {
      status: 403,
      says: /disabled|suspended|frozen|not allowed to post|pending (review|approval)/i,
      means: {
        outcome: 'permanent',
        errorCode: 'account_suspended',
        message:
          'The Mastodon account is disabled or suspended. Ask the moderators of its instance.',
      },
    },
    {
      status: 403,
      says: /scope/i,
      means: {
        outcome: 'permanent',
        errorCode: 'missing_permission',
        message:
          'The access token may not post. Connect the channel with a token that has the scope write:statuses.',
      },
    },
    { status: 401, means: { outcome: 'reauth', message: reconnect } },
    {
      status: 422,
      says: /character limit|too long/i,
      means: {
        outcome: 'permanent',
        errorCode: 'text_too_long',
        message: 'The text is longer than the Mastodon instance allows. Shorten it.',
      },
    },
    {
      status: 422,
      says: /can't be blank/i,
      means: {
        outcome: 'permanent',
        errorCode: 'text_empty',
        message: 'Mastodon refuses a post without text. Add some.',
      },
    },
    {
      status: 422,
      says: /not finished processing/i,
      means: {
        outcome: 'transient',
        message: 'Mastodon is still working on the files of the post.',
      },
    },
    {
      status: 422,
      says: /not found or already attached/i,
      means: {
        outcome: 'permanent',
        errorCode: 'media_missing',
        message:
          'Mastodon no longer has an uploaded file, or another post has it. Look at the account before you post again.',
      },
    },
    {
      status: 422,
      says: /attach more than|already contains images/i,
      means: {
        outcome: 'permanent',
        errorCode: 'media_mix',
        message: 'The Mastodon instance takes fewer files in a post, or not these together.',
      },
    },
    {
      status: 422,
      says: /duplicate|already (been )?posted/i,
      means: {
        outcome: 'permanent',
        errorCode: 'duplicate',
        message: 'Mastodon refused the post as a repeat of an earlier one. Change the text.',
      },
    },
    {
      status: 413,
      means: {
        outcome: 'permanent',
        errorCode: 'too_large',
        message: 'The post is larger than the Mastodon instance allows.',
      },
    },
    {
      status: 429,
      means: {
        outcome: 'rate_limited',
        message: 'Mastodon takes no more posts from this account for now.',
      },
    },
  ],
}

/** What refusals of a file mean: of its upload, and of what the instance makes of it. */
export const MASTODON_MEDIA_ERRORS: ErrorTable = {
  ...MASTODON_ERRORS,
  rows: [
    {
      status: 403,
      says: /scope/i,
      means: { outcome: 'permanent', errorCode: 'missing_permission', message: mayNotUpload },
    },
    {
      status: 413,
      means: {
        outcome: 'permanent',
        errorCode: 'media_unfit',
        message: 'A file of the post is larger than the Mastodon instance allows.',
      },
    },
    {
      status: 422,
      says: /description/i,
      means: {
        outcome: 'permanent',
        errorCode: 'alt_text_too_long',
        message: 'An alt text is longer than the Mastodon instance allows. Shorten it.',
      },
    },
    {
      status: 422,
      means: {
        outcome: 'permanent',
        errorCode: 'media_unfit',
        message: 'The Mastodon instance cannot process a file of the post.',
      },
    },
    ...MASTODON_ERRORS.rows,
  ],
}
