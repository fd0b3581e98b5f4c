export type Brake = {
  /** Milliseconds until a key from this address is looked at again; 0 is now. */
  waitOf: (address: string, keyDigest: string | undefined) => number
  noteBad: (address: string, keyDigest: string | undefined) => void
  noteGood: (keyDigest: string) => void
}

export type BrakeDeps = {
  /** Milliseconds that only ever grow. */
  elapsed?: () => number
  /** How many addresses, and how many good keys, are remembered. */
  maxEntries?: number
}

const BAD_KEYS = 50
const WITHIN_MS = 60_000
const MAX_ENTRIES = 10_000

/**
 * Counts bad keys by address, from the first one on for a minute: after 50 the address must wait for the minute to end.
 * Keys that were good the last time do not wait, because one address can stand for a whole office. Each gateway counts
 * for itself. It spares the accounts service; a key is too long to be guessed anyway.
 */
export function brake(deps: BrakeDeps = {}): Brake {
  const { elapsed = () => performance.now(), maxEntries = MAX_ENTRIES } = deps
  const addresses = new Map<string, { bad: number; until: number }>()
  const goodKeys = new Set<string>()
  return {
    waitOf: (address, keyDigest) => {
      const entry = addresses.get(address)
      if (!entry || entry.bad < BAD_KEYS) return 0
      if (keyDigest !== undefined && goodKeys.has(keyDigest)) return 0
      return Math.max(0, entry.until - elapsed())
    },
    noteBad: (address, keyDigest) => {
      if (keyDigest !== undefined) goodKeys.delete(keyDigest)
      const now = elapsed()
      const entry = addresses.get(address)
      if (entry && entry.until > now) return void entry.bad++
      addresses.delete(address)
      makeRoom(addresses, maxEntries)
      addresses.set(address, { bad: 1, until: now + WITHIN_MS })
    },
    noteGood: (keyDigest) => {
      if (goodKeys.has(keyDigest)) return
      makeRoom(goodKeys, maxEntries)
      goodKeys.add(keyDigest)
    },
  }
}

/** Maps and sets keep the order of insertion, so the first entry is the oldest. */
function makeRoom(entries: Map<string, unknown> | Set<string>, max: number): void {
  const oldest = entries.size < max ? undefined : entries.keys().next().value
  if (oldest !== undefined) entries.delete(oldest)
}
