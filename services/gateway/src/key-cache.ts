/** What `keyCache` needs. */
export type KeyCacheDeps<T> = {
  /** Asks who owns the key. */
  look: (digest: string) => Promise<T>
  /** The id by which a revoked key is named. */
  idOf: (value: T) => string
  /** Whether a failure is a refusal, which is remembered, and not an outage, which is not. */
  isRefusal: (error: unknown) => boolean
  /** Milliseconds that only ever grow. */
  elapsed?: () => number
  maxEntries?: number
}

export type KeyCache<T> = {
  get: (digest: string) => T | Promise<T>
  /** Forgets one key, because it was revoked. */
  evict: (id: string) => void
  /** Forgets everything, because revocations may have been missed. */
  clear: () => void
}

const KNOWN_MS = 5_000
const REFUSED_MS = 1_000
const MAX_ENTRIES = 10_000

type Kept<V> = { value: V; until: number }

/**
 * Answers about keys, kept for 5 s, refusals for 1 s. The time counts from when the question was asked, so a revoked
 * key is refused within 5 s even when nobody tells. Refusals have their own store: guesses cannot push out real keys.
 */
export function keyCache<T>(deps: KeyCacheDeps<T>): KeyCache<T> {
  const {
    look,
    idOf,
    isRefusal,
    elapsed = () => performance.now(),
    maxEntries = MAX_ENTRIES,
  } = deps
  const known = new Map<string, Kept<T>>()
  const refused = new Map<string, Kept<unknown>>()
  const asked = new Map<string, Promise<T>>()
  // An answer that was on its way while keys were forgotten may be older than the revocation: it is not kept.
  let forgotten = 0

  const ask = async (digest: string): Promise<T> => {
    const askedAt = elapsed()
    const before = forgotten
    try {
      const value = await look(digest)
      if (before === forgotten)
        keep(known, digest, { value, until: askedAt + KNOWN_MS }, maxEntries)
      return value
    } catch (error) {
      if (isRefusal(error))
        keep(refused, digest, { value: error, until: askedAt + REFUSED_MS }, maxEntries)
      throw error
    }
  }

  const askOnce = (digest: string): Promise<T> => {
    const running = asked.get(digest)
    if (running) return running
    const asking = ask(digest).finally(() => {
      if (asked.get(digest) === asking) asked.delete(digest)
    })
    asked.set(digest, asking)
    return asking
  }

  return {
    get: (digest) => {
      const now = elapsed()
      const hit = fresh(known, digest, now)
      if (hit) return hit.value
      const refusal = fresh(refused, digest, now)
      return refusal ? Promise.reject(refusal.value) : askOnce(digest)
    },
    evict: (id) => {
      forgotten++
      asked.clear()
      for (const [digest, { value }] of known) if (idOf(value) === id) known.delete(digest)
    },
    clear: () => {
      forgotten++
      asked.clear()
      known.clear()
    },
  }
}

function fresh<V>(store: Map<string, Kept<V>>, digest: string, now: number): Kept<V> | undefined {
  const entry = store.get(digest)
  if (!entry) return undefined
  if (now < entry.until) return entry
  store.delete(digest)
  return undefined
}

/** A map keeps the order of insertion, so its first entry is the oldest. */
function keep<V>(store: Map<string, Kept<V>>, digest: string, entry: Kept<V>, max: number): void {
  store.delete(digest)
  const oldest = store.size < max ? undefined : store.keys().next().value
  if (oldest !== undefined) store.delete(oldest)
  store.set(digest, entry)
}
