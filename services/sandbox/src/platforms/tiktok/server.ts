import type { Part } from '../../ledger.ts'
import { openProvider, type Provider } from '../../oauth/provider.ts'
import { randomText } from '../../random-text.ts'
import type { World } from '../../stand-in.ts'
import { openState, type State } from './state.ts'

export type Tiktok = World & {
  provider: Provider
  readonly state: State
  record: Part<State, Parameters<ReturnType<typeof openState>['record']>[0]>['record']
  /** Ids have 19 digits, more than a number of JavaScript holds. */
  newPostId: () => string
}

const DAY_SECONDS = 86_400

export function openTiktok(world: World): Tiktok {
  const part = openState(world.ledger)
  return {
    ...world,
    provider: openProvider(world, {
      part: 'tiktok-oauth',
      name: 'TikTok',
      authorizePath: '/v2/auth/authorize/',
      clientIdName: 'client_key',
      scopeSeparator: ',',
      requiresPkce: false,
      codeSeconds: 600,
      accessSeconds: DAY_SECONDS,
      refreshSeconds: 365 * DAY_SECONDS,
      rotates: true,
      newAccountId: () => `_000${randomText(24)}`,
    }),
    get state() {
      return part.state
    },
    record: part.record,
    newPostId: () => {
      const byTime = BigInt(Math.floor(world.now() / 1000)) << 32n
      return String(byTime + BigInt(part.state.publishings.size) * 2n + 1n)
    },
  }
}
