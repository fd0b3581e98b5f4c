import type { Part } from '../../ledger.ts'
import { openProvider, type Provider } from '../../oauth/provider.ts'
import type { World } from '../../stand-in.ts'
import { type Event, openState, type State } from './state.ts'

/** The one bot of the sandbox: that of its app. */
export const BOT = {
  id: '1041041041041041041',
  username: 'sandbox-bot',
  token: 'MTA0MTA0MTA0MTA0MTA0MTA0MQ.Gsandb.oxBotTokenThatOpensEveryGuildItIsIn',
} as const

const DISCORD_EPOCH_MS = 1_420_070_400_000

/** Discord: its world, its state, and what all its endpoints share. */
export type Discord = World &
  Part<State, Event> & {
    /** Snowflakes: they grow and tell the time. */
    newId: () => string
    /** Guilds as accounts, and the codes and tokens of the people who add the bot to them. */
    provider: Provider
  }

export function openDiscord(world: World): Discord {
  const part = openState(world.ledger)
  // Guilds have ids of the same kind, but are kept with the grants.
  let lastGuildId = 0n
  const newId = () => {
    const byTime = BigInt(world.now() - DISCORD_EPOCH_MS) << 22n
    const last = part.state.lastId > lastGuildId ? part.state.lastId : lastGuildId
    return String(byTime > last ? byTime : last + 1n)
  }
  const provider = openProvider(world, {
    part: 'DISCORD-oauth',
    name: 'Discord',
    authorizePath: '/oauth2/authorize',
    requiresPkce: false,
    codeSeconds: 600,
    accessSeconds: 604_800,
    refreshSeconds: null,
    rotates: true,
    newAccountId: () => {
      const id = newId()
      lastGuildId = BigInt(id)
      return id
    },
  })
  for (const { id } of provider.accounts()) if (BigInt(id) > lastGuildId) lastGuildId = BigInt(id)
  return {
    ...world,
    get state() {
      return part.state
    },
    record: part.record,
    newId,
    provider,
  }
}
