import type { Answer, Call } from '../../call.ts'
import type { Account } from '../../oauth/state.ts'
import { authenticate } from './authenticate.ts'
import { envelope, refuse } from './refusals.ts'
import type { Tiktok } from './server.ts'

const POSTS_A_DAY = 15
const DAY_MS = 86_400_000

/** What a creator may do. Names tell: `private` has an account for followers, `quiet` wants no comments, `short` has a minute. */
export function creatorOf({ username }: Account) {
  const widest = username.includes('private') ? 'FOLLOWER_OF_CREATOR' : 'PUBLIC_TO_EVERYONE'
  return {
    privacyLevels: [widest, 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
    isCommentDisabled: username.includes('quiet'),
    maxSeconds: username.includes('short') ? 60 : 600,
  }
}

/** A creator has 15 posts a day by all apps together. */
export function requireLeave({ state, now, refusesByRate }: Tiktok, { id }: Account): void {
  const since = now() - DAY_MS
  const recent = [...state.publishings.values()].filter(
    ({ accountId, complete }) =>
      accountId === id && complete?.failReason === null && complete.at > since,
  )
  if (recent.length >= POSTS_A_DAY && refusesByRate)
    refuse(
      403,
      'spam_risk_too_many_posts',
      'The daily post cap from the API is reached for the current user.',
    )
}

/** `GET /v2/user/info/?fields=` */
export function showUser(tiktok: Tiktok, call: Call): Answer {
  const { id, username } = authenticate(tiktok, call, 'user.info.basic')
  const known = {
    open_id: id,
    union_id: id,
    avatar_url: `${tiktok.baseUrl()}/avatar.jpeg`,
    display_name: username,
  }
  const fields = (call.query.get('fields') ?? '').split(',').filter(Boolean)
  if (fields.length === 0 || !fields.every((field) => Object.hasOwn(known, field)))
    refuse(400, 'invalid_params', 'The fields are missing, or not within the authorized scopes.')
  const user = Object.fromEntries(Object.entries(known).filter(([name]) => fields.includes(name)))
  return envelope(200, { user })
}

/** `POST /v2/post/publish/creator_info/query/` */
export function queryCreator(tiktok: Tiktok, call: Call): Answer {
  const account = authenticate(tiktok, call, 'video.publish')
  requireLeave(tiktok, account)
  const { privacyLevels, isCommentDisabled, maxSeconds } = creatorOf(account)
  return envelope(200, {
    creator_avatar_url: `${tiktok.baseUrl()}/avatar.jpeg`,
    creator_username: account.username,
    creator_nickname: account.username,
    privacy_level_options: privacyLevels,
    comment_disabled: isCommentDisabled,
    duet_disabled: false,
    stitch_disabled: false,
    max_video_post_duration_sec: maxSeconds,
  })
}
