import { MastodonOptions } from '@herald/contracts/posts'
import type { ChannelRules } from '@herald/contracts/platforms'
import { askPlatform, isSuccess } from '../call.ts'
import { jsonOf, request } from '../http.ts'
import {
  type CommitOutcome,
  ConnectError,
  type Connector,
  type LookUpOutcome,
  type Published,
  type PublishInput,
} from '../platform.ts'
import { refusalOf } from './errors.ts'
import { htmlToText, sameText } from './html.ts'
import { Account, Instance, Status, Statuses } from './schemas.ts'

const REFUSED = 'Mastodon does not accept this access token.'
/** The clock of an instance may differ from ours by this much. */
const CLOCK_SLACK_MS = 120_000
const LOOK_BACK = 20

/**
 * Mastodon and servers that speak its protocol. Credentials: `{ accessToken }`. Tokens do not expire. The
 * Idempotency-Key makes a repeat harmless for an hour on Mastodon itself; some compatible servers ignore it, so it is
 * a second wall only, and unknown outcomes are looked up in the account's statuses.
 */
export const mastodonConnector: Connector = {
  settles: 'key',

  async identify({ baseUrl, credentials }) {
    const { accessToken } = credentials
    if (!accessToken) throw new ConnectError('refused', 'Mastodon needs an accessToken.')
    const account = await verify(baseUrl, accessToken)
    return {
      account: account.id,
      username: account.username,
      name: account.display_name || account.username,
      avatarUrl: account.avatar ?? null,
      rules: await readLimits(baseUrl),
      secrets: { accessToken },
    }
  },

  async freshToken({ baseUrl, secrets, deadToken }) {
    const token = secrets.accessToken ?? ''
    // A refused token is dead only if the instance says so when asked again.
    if (deadToken === token) await verify(baseUrl, token)
    return { token }
  },

  prepare: async () => ({ outcome: 'ready', step: {} }),
  commit,
  lookUp,
}

function verify(baseUrl: string, token: string) {
  return askPlatform(
    {
      method: 'GET',
      url: `${baseUrl}/api/v1/accounts/verify_credentials`,
      headers: { authorization: `Bearer ${token}` },
    },
    Account,
    ({ status }) => (status === 401 || status === 403 ? REFUSED : false),
  )
}

async function readLimits(baseUrl: string): Promise<Partial<ChannelRules>> {
  const url = `${baseUrl}/api/v2/instance`
  const { configuration } = await askPlatform({ method: 'GET', url }, Instance, () => false)
  const { max_characters: maxChars, max_media_attachments: maxImages } = configuration?.statuses ?? {}
  return {
    ...(maxChars !== undefined && { maxChars }),
    ...(maxImages !== undefined && { maxImages }),
  }
}

async function commit(input: PublishInput): Promise<CommitOutcome> {
  const { visibility, sensitive, spoilerText, language } = MastodonOptions.parse(input.options)
  const result = await request({
    method: 'POST',
    url: `${input.baseUrl}/api/v1/statuses`,
    headers: {
      authorization: `Bearer ${input.token}`,
      'content-type': 'application/json',
      'idempotency-key': input.idempotencyKey,
    },
    body: JSON.stringify({
      status: input.text,
      visibility,
      sensitive,
      spoiler_text: spoilerText,
      language,
    }),
    signal: input.signal,
  })
  if (result.kind === 'not_sent') return { outcome: 'transient', message: unreachable(result.message) }
  if (result.kind === 'lost') return { outcome: 'unknown', message: result.message }
  if (!isSuccess(result)) {
    const refusal = refusalOf(result, Date.now())
    return refusal ?? { outcome: 'unknown', message: `Mastodon answered ${result.status}.` }
  }
  const status = Status.safeParse(jsonOf(result.text))
  if (!status.success) return { outcome: 'unknown', message: 'Mastodon answered unreadably.' }
  return { outcome: 'published', ...toPublished(status.data) }
}

async function lookUp(input: PublishInput & { calledAt: string }): Promise<LookUpOutcome> {
  const result = await request({
    method: 'GET',
    url: `${input.baseUrl}/api/v1/accounts/${encodeURIComponent(input.account)}/statuses?limit=${LOOK_BACK}&exclude_replies=true`,
    headers: { authorization: `Bearer ${input.token}` },
    signal: input.signal,
  })
  const statuses =
    result.kind === 'response' && isSuccess(result)
      ? Statuses.safeParse(jsonOf(result.text)).data
      : undefined
  if (!statuses) return { cannotTell: 'Mastodon did not list the statuses.' }
  const earliest = Date.parse(input.calledAt) - CLOCK_SLACK_MS
  const matching = statuses.filter(
    (status) =>
      Date.parse(status.created_at) >= earliest && sameText(htmlToText(status.content), input.text),
  )
  const [only, second] = matching
  if (second) return { cannotTell: 'Several statuses of the account have this text.' }
  return only ? { found: toPublished(only) } : { absent: true }
}

function toPublished(status: Status): Published {
  return {
    platformPostId: status.id,
    url: status.url,
    publishedAt: new Date(status.created_at).toISOString(),
  }
}

function unreachable(message: string): string {
  return `The Mastodon server cannot be reached: ${message}`
}
