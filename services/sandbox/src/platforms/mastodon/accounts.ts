import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { authenticateAccount, authenticateIfGiven } from './authenticate.ts'
import type { Instance } from './instance.ts'
import { refuseUnknown } from './refusals.ts'
import type { Status } from './state.ts'
import { accountView, mediaOf, statusesOf, statusView } from './views.ts'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 40

/** `GET /api/v1/accounts/verify_credentials` */
export function verifyCredentials(instance: Instance, call: Call): Answer {
  const scopes = ['profile', 'read:accounts', 'read:me']
  const { account } = authenticateAccount(instance, call, scopes)
  return jsonAnswer(200, {
    ...accountView(instance, account),
    source: {
      privacy: 'public',
      sensitive: false,
      language: null,
      note: '',
      fields: [],
      follow_requests_count: 0,
    },
    role: { id: '-99', name: '', permissions: '0', color: '', highlighted: false },
  })
}

/** `GET /api/v1/accounts/lookup?acct=` */
export function lookUpAccount(instance: Instance, call: Call): Answer {
  authenticateIfGiven(instance, call, ['read:accounts'])
  const [username, domain = instance.domain()] = (call.query.get('acct') ?? '')
    .replace(/^@/, '')
    .toLowerCase()
    .split('@')
  const account = [...instance.state.accounts.values()].find(
    (one) => one.username === username && domain === instance.domain(),
  )
  return account ? jsonAnswer(200, accountView(instance, account)) : refuseUnknown()
}

/** `GET /api/v1/accounts/:id/statuses`, newest first. */
export function listAccountStatuses(instance: Instance, call: Call): Answer {
  const token = authenticateIfGiven(instance, call, ['read:statuses'])
  const account = instance.state.accounts.get(call.params['id'] ?? '')
  if (!account) refuseUnknown()
  const isOwn = token?.accountId === account.id
  const { query } = call
  const fitting = statusesOf(instance, account.id)
    .filter(({ visibility }) => isOwn || visibility === 'public' || visibility === 'unlisted')
    .filter((status) => !isTrue(query.get('only_media')) || mediaOf(instance, status).length > 0)
    .filter((status) => !isTrue(query.get('exclude_replies')) || !isReplyToOther(instance, status))
  const page = pageOf(fitting, query)
  const views = page.map((status) => statusView(instance, status))
  return jsonAnswer(200, views, linkHeader(instance, call, page))
}

function isTrue(text: string | null): boolean {
  return text === 'true' || text === '1'
}

/** A thread with oneself is no reply to others. */
function isReplyToOther(instance: Instance, { accountId, inReplyToId }: Status): boolean {
  const replied = instance.state.statuses.get(inReplyToId ?? '')
  return replied !== undefined && replied.accountId !== accountId
}

/** `min_id` pages upwards from an id; `since_id` is only a floor. */
function pageOf(statuses: Status[], query: URLSearchParams): Status[] {
  const [maxId, sinceId, minId] = ['max_id', 'since_id', 'min_id'].map((name) => idOf(query, name))
  const limit = Math.min(Math.max(Number(query.get('limit') ?? DEFAULT_LIMIT) || 0, 1), MAX_LIMIT)
  const between = statuses.filter(({ id }) => {
    const at = BigInt(id)
    return (
      (maxId === undefined || at < maxId) &&
      (sinceId === undefined || at > sinceId) &&
      (minId === undefined || at > minId)
    )
  })
  return (minId === undefined ? between.slice(-limit) : between.slice(0, limit)).toReversed()
}

function idOf(query: URLSearchParams, name: string): bigint | undefined {
  const text = query.get(name)
  return text !== null && /^\d+$/.test(text) ? BigInt(text) : undefined
}

function linkHeader(instance: Instance, call: Call, page: Status[]): Record<string, string> {
  const [first, last] = [page[0], page.at(-1)]
  if (!first || !last) return {}
  const address = (name: string, id: string) => {
    const query = new URLSearchParams(call.query)
    for (const other of ['max_id', 'since_id', 'min_id']) query.delete(other)
    query.set(name, id)
    return `<${instance.baseUrl()}${call.path}?${query.toString()}>`
  }
  const next = `${address('max_id', last.id)}; rel="next"`
  return { link: `${next}, ${address('min_id', first.id)}; rel="prev"` }
}
