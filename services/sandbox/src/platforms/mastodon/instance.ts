import type { Part } from '../../ledger.ts'
import type { World } from '../../stand-in.ts'
import { openCodes } from './codes.ts'
import { type Event, openState, type State } from './state.ts'

/** One Mastodon instance: its world, its state, and what all its endpoints share. */
export type Instance = World &
  Part<State, Event> & {
    /** Ids are numeric text, grow, and tell the time, as Mastodon's do. */
    newId: () => string
    codes: ReturnType<typeof openCodes>
    /** The host name that stands in `@user@host`. */
    domain: () => string
  }

export function openInstance(world: World): Instance {
  const part = openState(world.ledger)
  return {
    ...world,
    get state() {
      return part.state
    },
    record: part.record,
    newId: () => {
      const byTime = BigInt(world.now()) << 16n
      const next = part.state.lastId + 1n
      return String(byTime > next ? byTime : next)
    },
    codes: openCodes(world),
    domain: () => new URL(world.baseUrl()).host,
  }
}
