import { z } from 'zod'
import { readJson } from '../read-json.ts'
import type { ErrorTable, Meaning, RefusalRow } from '../refusal.ts'

const TiktokError = z.object({
  error: z.object({ code: z.string(), message: z.string().optional() }),
})

const BANNED = 'TikTok does not let this account post. Look at its status in the app.'
const SPAM = 'TikTok takes the post for spam. Change it before posting again.'
const DAY = 'The account has had as many posts as TikTok allows in a day.'

/** What TikTok's refusals mean. They may come with any status, even with 200. */
export const TIKTOK_ERRORS: ErrorTable = {
  name: 'TikTok',
  read: (text) => readJson(TiktokError, text)?.error ?? {},
  rows: [
    ...permanent(
      'missing_permission',
      'The access may not post. Connect the channel again, and allow everything it asks for.',
      ['scope_not_authorized', 'scope_permission_missed'],
    ),
    ...rows(['access_token_invalid'], {
      outcome: 'reauth',
      message: 'TikTok does not accept the access any more. Connect the channel again.',
    }),
    {
      status: 401,
      means: { outcome: 'reauth', message: 'TikTok does not accept the access any more.' },
    },
    ...rows(['rate_limit_exceeded'], {
      outcome: 'rate_limited',
      message: 'TikTok takes no more calls for this account for now.',
    }),
    ...rows(['spam_risk_too_many_posts', 'spam_risk_too_many_pending_share'], {
      outcome: 'rate_limited',
      message: DAY,
    }),
    ...rows(['reached_active_user_cap'], {
      outcome: 'rate_limited',
      message: "Herald's app has had as many accounts posting as TikTok allows it in a day.",
    }),
    ...permanent('account_suspended', BANNED, ['spam_risk_user_banned_from_posting']),
    ...permanent('platform_rejected', SPAM, ['spam_risk', 'spam_risk_text']),
    ...permanent(
      'platform_rejected',
      "TikTok has not audited Herald's app: it posts to private accounts alone, for themselves alone.",
      ['unaudited_client_can_only_post_to_private_accounts'],
    ),
    ...permanent(
      'platform_rejected',
      "TikTok fetches pictures from the app's own addresses alone. The operator of Herald has to verify that of its files at TikTok.",
      ['url_ownership_unverified'],
    ),
    ...permanent('invalid_options', 'The creator cannot choose this privacy level.', [
      'privacy_level_option_mismatch',
    ]),
    ...permanent('platform_rejected', 'The TikTok app of the account is too old. Update it.', [
      'app_version_check_failed',
    ]),
    ...permanent('platform_rejected', 'TikTok does not accept what was said of the post.', [
      'invalid_params',
      'invalid_param',
      'invalid_file_upload',
    ]),
  ],
}

/** What TikTok says of a post that it took and then did not publish, and whether another try could help. */
export type Failure = { errorCode: string; message: string; isPassing: boolean }

const FAILURES: readonly (Failure & { reasons: readonly string[] })[] = [
  failure('media_unfit', 'TikTok cannot read a file of the post.', ['file_format_check_failed']),
  failure('media_unfit', 'The video is too short or too long for this TikTok account.', [
    'duration_check_failed',
  ]),
  failure('media_unfit', 'TikTok takes videos of 23 to 60 pictures a second.', [
    'frame_rate_check_failed',
  ]),
  failure('media_unfit', 'A file of the post is too small or too large for TikTok.', [
    'picture_size_check_failed',
  ]),
  failure('platform_rejected', 'The post was cancelled at TikTok.', ['publish_cancelled']),
  failure('missing_permission', 'The access was taken back while TikTok worked on the post.', [
    'auth_removed',
  ]),
  failure('account_suspended', BANNED, ['spam_risk_user_banned_from_posting']),
  failure('platform_rejected', DAY, ['spam_risk_too_many_posts']),
  failure('platform_rejected', SPAM, ['spam_risk', 'spam_risk_text']),
  {
    ...failure('media_missing', 'TikTok could not fetch a file of the post.', [
      'video_pull_failed',
      'photo_pull_failed',
    ]),
    isPassing: true,
  },
  {
    ...failure('platform_rejected', 'TikTok failed to publish the post.', ['internal']),
    isPassing: true,
  },
]

/** Why TikTok did not publish a post that it had taken. */
export function failureOf(reason: string | undefined): Failure {
  return (
    FAILURES.find(({ reasons }) => reasons.includes(reason ?? '')) ?? {
      errorCode: 'platform_rejected',
      message: `TikTok did not publish the post (${reason ?? 'no reason'}).`,
      isPassing: false,
    }
  )
}

function failure(errorCode: string, message: string, reasons: readonly string[]) {
  return { errorCode, message, reasons, isPassing: false }
}

function permanent(errorCode: string, message: string, codes: readonly string[]): RefusalRow[] {
  return rows(codes, { outcome: 'permanent', errorCode, message })
}

function rows(codes: readonly string[], means: Meaning): RefusalRow[] {
  return codes.map((code) => ({ code, means }))
}
