import { openProvider, type Provider } from '../../oauth/provider.ts'
import type { Part } from '../../ledger.ts'
import { randomText } from '../../random-text.ts'
import type { World } from '../../stand-in.ts'
import { openQuota, type Quota } from './quota.ts'
import { openState, type State } from './state.ts'

/** YouTube and the part of Google that grants access to it. */
export type Youtube = World & {
  provider: Provider
  readonly state: State
  record: Part<State, Parameters<ReturnType<typeof openState>['record']>[0]>['record']
  quota: Quota
  /** Codes of people who let the app in for longer than they are there: only these get a refresh token. */
  offlineCodes: Set<string>
}

export function openYoutube(world: World): Youtube {
  const part = openState(world.ledger)
  const offlineCodes = new Set<string>()
  world.ledger.onClear(() => offlineCodes.clear())
  const provider = openProvider(world, {
    part: 'youtube-oauth',
    name: 'Google',
    authorizePath: '/o/oauth2/v2/auth',
    requiresPkce: false,
    codeSeconds: 600,
    accessSeconds: 3600,
    refreshSeconds: null,
    rotates: false,
    newAccountId: () => `UC${randomText(18).slice(0, 22)}`,
  })
  return {
    ...world,
    provider,
    get state() {
      return part.state
    },
    record: part.record,
    quota: openQuota(world),
    offlineCodes,
  }
}
