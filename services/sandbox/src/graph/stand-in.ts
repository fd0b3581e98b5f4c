import type { Provider } from '../oauth/provider.ts'
import type { StandIn, World } from '../stand-in.ts'
import { callerOf, expire } from './access.ts'
import { broken, graphError, unknownPath } from './errors.ts'
import { type Budget, openMeter, rateLimited } from './meter.ts'

/** What is the same in all stand-ins whose API is a Graph API: whose call it is, how it is metered and refused. */
export function graphStandIn(
  world: World,
  provider: Provider,
  budget: Budget,
): Omit<StandIn, 'operations' | 'createAccount' | 'live'> {
  const meter = openMeter(world, budget)
  return {
    accountOf: (call) => callerOf(provider, call),
    meter: (_call, _operation, account) => meter(account),
    broken,
    rateLimited: () => rateLimited(budget),
    expireAccess: (call) => expire(provider, call),
    tooLarge: () => graphError({ status: 413, message: 'Request Entity Too Large', code: 1 }),
    notFound: unknownPath,
    accounts: () => provider.accounts().map(({ id, username }) => ({ account: id, username })),
    revoke: provider.revoke,
  }
}
