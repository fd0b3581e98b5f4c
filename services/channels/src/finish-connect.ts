import { randomUUID } from 'node:crypto'
import type { Channel, channels } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import type { Handlers } from '@herald/contracts/rpc'
import type { Identity, PlatformDefinition } from '@herald/platforms/platform'
import { z } from 'zod'
import { GrantSecret } from './begin-connect.ts'
import { connectAccount } from './connect-account.ts'
import type { Deps } from './deps.ts'
import { type Grant, keepGrant, newToken, takeGrant } from './grants.ts'
import { asRefusal } from './refusals.ts'

type Finish = Handlers<typeof channels>['finishConnect']
type Choose = Handlers<typeof channels>['chooseAccounts']

/** For all that a platform is asked when a person comes back. */
const FINISH_WITHIN_MS = 20_000

/** Accounts among which a person chooses, as they are kept meanwhile. */
const Choice = z.object({
  name: z.string().optional(),
  identities: z.array(z.custom<Identity>()),
})

/**
 * A person came back from the platform. One account is connected at once; several are kept until the person has chosen.
 * The organization is the one that the state was made for, whatever else the query says.
 */
export async function finishConnect(
  deps: Deps,
  { platform, query }: Parameters<Finish>[0],
): Promise<Awaited<ReturnType<Finish>>> {
  const grant = await take(deps, query['state'], { step: 'grant', platform })
  const { name, ...granted } = GrantSecret.parse(grant.secret)
  const definition = definitionOf(deps, grant)
  const identities = await identify(deps, definition, grant, granted, query)
  const [identity, ...others] = identities
  if (!identity)
    throw new AppError(
      'validation_failed',
      `${definition.name} granted access, but to no account that Herald can post to.`,
    )
  if (others.length === 0)
    return { outcome: 'connected', channels: [await connectOne(deps, grant, identity, { name })] }
  const token = newToken()
  const secret = { ...(name !== undefined && { name }), identities }
  const choice = { ...grant, step: 'choice', secret } as const
  await keepGrant(deps.store.pool, token, choice, { keys: deps.credentialsKeys, now: deps.now() })
  return {
    outcome: 'choose',
    token,
    accounts: identities.map((one) => ({
      account: one.account,
      name: one.name,
      username: one.username,
    })),
  }
}

/** A person has chosen one or more of the accounts that were granted. */
export async function chooseAccounts(
  deps: Deps,
  { platform, token, accounts }: Parameters<Choose>[0],
): Promise<Awaited<ReturnType<Choose>>> {
  const grant = await take(deps, token, { step: 'choice', platform })
  const { name, identities } = Choice.parse(grant.secret)
  const chosen = identities.filter(({ account }) => accounts.includes(account))
  if (chosen.length === 0)
    throw new AppError(
      'validation_failed',
      'None of the accounts was chosen, so none is connected.',
    )
  const grantId = randomUUID()
  // A name of one's own is for one account.
  const asked = { grantId, name: chosen.length === 1 ? name : undefined }
  const connected: Channel[] = []
  for (const identity of chosen) connected.push(await connectOne(deps, grant, identity, asked))
  return { channels: connected }
}

async function identify(
  { settings, now }: Deps,
  { connector, name }: PlatformDefinition,
  { platform, baseUrl }: Grant,
  granted: Omit<z.infer<typeof GrantSecret>, 'name'>,
  query: Record<string, string>,
): Promise<Identity[]> {
  if (!connector.oauth) throw new Error(`${name} has lost its OAuth.`)
  const input = { baseUrl, settings: settings.of(platform), now: now(), ...granted, query }
  return connector.oauth
    .finish(input, { signal: AbortSignal.timeout(FINISH_WITHIN_MS) })
    .catch((error: unknown) => {
      throw asRefusal(error, 'query')
    })
}

function connectOne(
  deps: Deps,
  grant: Grant,
  identity: Identity,
  { name, grantId = randomUUID() }: { name: string | undefined; grantId?: string },
): Promise<Channel> {
  const { organizationId, platform, baseUrl } = grant
  const connecting = { organizationId, platform, baseUrl, name, grantId }
  return connectAccount(deps, definitionOf(deps, grant), connecting, identity)
}

function definitionOf({ platformOf }: Deps, { platform }: Grant): PlatformDefinition {
  const definition = platformOf(platform)
  if (!definition) throw linkRefused()
  return definition
}

async function take(
  { store, credentialsKeys: keys, now }: Deps,
  token: string | undefined,
  wanted: Pick<Grant, 'step' | 'platform'>,
): Promise<Grant> {
  const grant = await takeGrant(store.pool, token ?? '', wanted, { keys, now: now() })
  if (!grant) throw linkRefused()
  return grant
}

/** Unknown, used, expired and foreign links are not told apart. */
function linkRefused(): AppError {
  return new AppError(
    'not_found',
    'This link is not valid any more: it works once and for 15 minutes. Begin again.',
  )
}
