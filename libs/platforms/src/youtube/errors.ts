import { z } from 'zod'
import { readJson } from '../read-json.ts'
import type { ErrorTable, RefusalRow } from '../refusal.ts'

const YoutubeError = z.object({
  error: z.object({
    message: z.string().optional(),
    errors: z
      .array(z.object({ reason: z.string().optional(), message: z.string().optional() }))
      .optional(),
  }),
})

/** What YouTube's refusals mean, by the reason that they name. */
export const YOUTUBE_ERRORS: ErrorTable = {
  name: 'YouTube',
  read: (text) => {
    const error = readJson(YoutubeError, text)?.error
    const first = error?.errors?.[0]
    return { code: first?.reason, message: first?.message ?? error?.message }
  },
  rows: [
    ...permanent(
      'missing_permission',
      'The Google account has no YouTube channel. Make one first.',
      ['youtubeSignupRequired'],
    ),
    {
      status: 401,
      means: {
        outcome: 'reauth',
        message: 'YouTube does not accept the access any more. Connect the channel again.',
      },
    },
    ...waiting('The channel has had as many uploads as YouTube allows in a day.', [
      'uploadLimitExceeded',
    ]),
    ...waiting("The day's quota of Herald's app at YouTube is used up.", [
      'quotaExceeded',
      'dailyLimitExceeded',
    ]),
    ...waiting('YouTube takes no more calls for now.', [
      'rateLimitExceeded',
      'userRateLimitExceeded',
    ]),
    ...permanent(
      'missing_permission',
      'The access may not upload videos. Connect the channel again, and allow uploads.',
      ['insufficientPermissions', 'forbidden', 'accountDelegationForbidden'],
    ),
    ...permanent('account_suspended', 'The YouTube account is suspended or closed. Ask YouTube.', [
      'authenticatedUserAccountSuspended',
      'authenticatedUserAccountClosed',
      'channelSuspended',
      'channelClosed',
    ]),
    ...permanent(
      'invalid_options',
      'YouTube refuses the title: it has 1 to 100 characters, and no < or >.',
      ['invalidTitle'],
    ),
    ...permanent(
      'text_rejected',
      'YouTube refuses the description: it has at most 5,000 bytes, and no < or >.',
      ['invalidDescription'],
    ),
    ...permanent('invalid_options', 'YouTube refuses the tags. Take fewer or other ones.', [
      'invalidTags',
    ]),
    ...permanent('invalid_options', 'YouTube has no such video category for this channel.', [
      'invalidCategoryId',
    ]),
    ...permanent('invalid_options', 'The channel may not choose who sees its videos this way.', [
      'forbiddenPrivacySetting',
    ]),
    ...permanent('media_unfit', 'YouTube does not take this file for a video.', [
      'mediaBodyRequired',
      'invalidFilename',
      'badContent',
      'uploadTooLarge',
    ]),
  ],
}

type Reasons = readonly string[]

function permanent(errorCode: string, message: string, reasons: Reasons): RefusalRow[] {
  return reasons.map((code) => ({ code, means: { outcome: 'permanent', errorCode, message } }))
}

function waiting(message: string, reasons: Reasons): RefusalRow[] {
  return reasons.map((code) => ({ code, means: { outcome: 'rate_limited', message } }))
}
