/** Answers that are kept for a short while; a failure is not kept. Those who ask at the same time wait for one answer. */
export type ShortCache<T> = { get: (name: string, ask: () => Promise<T>) => Promise<T> }

export type ShortCacheOptions = {
  keepMs: number
  maxEntries: number
  /** Milliseconds that only ever grow. */
  elapsed?: () => number
}

/** Makes an empty cache that forgets the oldest answers when it is full. */
export function shortCache<T>(options: ShortCacheOptions): ShortCache<T> {
  const { keepMs, maxEntries, elapsed = () => performance.now() } = options
  const entries = new Map<string, { until: number; answer: Promise<T> }>()
  return {
    get(name, ask) {
      const known = entries.get(name)
      if (known && known.until > elapsed()) return known.answer
      entries.delete(name)
      // A map keeps the order of insertion, so the first entry is the oldest.
      const oldest = entries.size < maxEntries ? undefined : entries.keys().next().value
      if (oldest !== undefined) entries.delete(oldest)
      const entry = { until: elapsed() + keepMs, answer: ask() }
      entries.set(name, entry)
      entry.answer.catch(() => entries.get(name) === entry && entries.delete(name))
      return entry.answer
    },
  }
}
