import type { ChannelOptions, channels } from '@herald/contracts/channels'
import { AppError, unavailable } from '@herald/contracts/errors'
import type { Handlers } from '@herald/contracts/rpc'
import { type Choices, ConnectError, type Connector } from '@herald/platforms/platform'
import { canonicalJson } from '@herald/service/canonical-json'
import type { Deps } from './deps.ts'
import { freshToken } from './fresh-token.ts'
import { type ChannelRow, findChannel } from './queries.ts'
import { asRefusal, notConnected, reauthRequired } from './refusals.ts'

type Input = Parameters<Handlers<typeof channels>['choices']>[0]
type Ask = (...asked: Parameters<NonNullable<Connector['choices']>>) => Promise<Choices[]>
type Query = Record<string, string>

const WITHIN_MS = 8_000

/** What can be chosen for the options of a post to a channel. The platform is asked at most once a minute for the same. */
export async function choices(deps: Deps, input: Input): Promise<ChannelOptions> {
  const { organizationId, channelId, query } = input
  const mayUse = input.channels === 'all' || input.channels.includes(channelId)
  const row = mayUse && (await findChannel(deps.store.pool, organizationId, channelId))
  if (!row || row.status === 'disconnected') throw notConnected()
  if (row.status === 'reauth_required') throw reauthRequired(row.id)
  const connector = deps.platformOf(row.platform)?.connector
  const ask: Ask = async (...asked) => (await connector?.choices?.(...asked)) ?? []
  const data = connector?.choices ? await cached(deps, row, ask, {}) : []
  if (Object.keys(query).length === 0) return { data }
  requireKnown(query, data)
  return { data: await cached(deps, row, ask, query) }
}

/** What the platform asks for when nothing is given is what can be given. */
function requireKnown(query: Query, data: Choices[]): void {
  const known = data.flatMap(({ needs }) => needs ?? [])
  const unknown = Object.keys(query).filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new AppError('validation_failed', 'The query is not valid.', {
      details: {
        issues: unknown.map((path) => ({ path, message: 'is not asked for by this channel' })),
      },
    })
}

function cached(deps: Deps, row: ChannelRow, ask: Ask, query: Query): Promise<Choices[]> {
  const name = canonicalJson([row.organization_id, row.id, query])
  return deps.choices.get(name, () => askPlatform(deps, row, ask, query))
}

/** With the kept token, and with a new one if the platform says that it is dead. */
async function askPlatform(
  deps: Deps,
  row: ChannelRow,
  ask: Ask,
  query: Query,
): Promise<Choices[]> {
  const { base_url: baseUrl, account, limits } = row
  const settings = deps.settings.of(row.platform)
  const askWith = (token: string) =>
    ask(
      { baseUrl, settings, token, account, limits, query },
      { signal: AbortSignal.timeout(WITHIN_MS) },
    )
  const token = await freshToken(deps, row)
  try {
    return await askWith(token)
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    if (error.kind === 'unavailable') throw unavailable(error)
  }
  return askWith(await freshToken(deps, row, token)).catch((error: unknown) => {
    throw asRefusal(error, 'query')
  })
}
