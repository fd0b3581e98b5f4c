import { openProvider, type Provider } from '../../oauth/provider.ts'
import type { World } from '../../stand-in.ts'
import { openState } from './state.ts'

export type Pinterest = World & { provider: Provider; newId: () => string } & ReturnType<
    typeof openState
  >

const DAY = 86_400

/** Pinterest: its accounts with what they granted, and their boards, videos and pins. */
export function openPinterest(world: World): Pinterest {
  const part = openState(world.ledger)
  /** Eighteen digits, the later the greater. */
  const newId = () => {
    const { boards, media, pins } = part.state
    const count = boards.size + media.size + pins.size
    return String(810_000_000_000_000_000n + BigInt(count))
  }
  const provider = openProvider(world, {
    part: 'PINTEREST-oauth',
    name: 'Pinterest',
    authorizePath: '/oauth',
    scopeSeparator: ',',
    requiresPkce: false,
    codeSeconds: 600,
    accessSeconds: 30 * DAY,
    refreshSeconds: 60 * DAY,
    rotates: true,
    newAccountId: () => String(Math.floor(4e17 + Math.random() * 1e17)),
  })
  return {
    ...world,
    provider,
    newId,
    record: part.record,
    get state() {
      return part.state
    },
  }
}
