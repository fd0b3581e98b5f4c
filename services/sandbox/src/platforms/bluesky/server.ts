import { randomBytes } from 'node:crypto'
import type { Part } from '../../ledger.ts'
import { randomText } from '../../random-text.ts'
import type { World } from '../../stand-in.ts'
import { type Account, type Event, openState, type State } from './state.ts'
import { toTid } from './tid.ts'

/** One personal data server: its world, its state, and what all its methods share. */
export type Server = World &
  Part<State, Event> & {
    /** Signs tokens; made when it is first needed. */
    secret: () => string
    /** A record key or revision of now; each is later than the one before. */
    newTid: () => string
    domain: () => string
    findAccount: (handleOrDid: string) => Account | undefined
  }

export function openServer(world: World): Server {
  const part = openState(world.ledger)
  const clockId = randomBytes(2).readUInt16BE() % 1024
  let lastMicros = 0
  return {
    ...world,
    get state() {
      return part.state
    },
    record: part.record,
    secret: () => {
      if (part.state.secret === undefined)
        part.record({ type: 'secret-made', secret: randomText() })
      return part.state.secret ?? ''
    },
    newTid: () => {
      lastMicros = Math.max(world.now() * 1000, lastMicros + 1)
      return toTid(lastMicros, clockId)
    },
    domain: () => new URL(world.baseUrl()).host,
    findAccount: (handleOrDid) => {
      const name = handleOrDid.toLowerCase()
      const accounts = [...part.state.accounts.values()]
      return accounts.find(({ did, handle }) => did === handleOrDid || handle === name)
    },
  }
}
