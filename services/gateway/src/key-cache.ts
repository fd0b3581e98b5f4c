import { type accounts } from '@herald/contracts/accounts'
import { AppError } from '@herald/contracts/errors'
import type { Client } from '@herald/contracts/rpc'

/** A key that may call, and whose it is. */
export type VerifiedKey = Awaited<ReturnType<Client<typeof accounts>['verifyKey']>>

export type KeyCache = {
  /** The key behind a digest; nothing for one that may not call. Throws when the accounts service is away. */
  find: (digest: string) => Promise<VerifiedKey | undefined>
  /** Forgets a key, because it was revoked. */
  evict: (keyId: string) => void
}

type Entry = { answer: Promise<VerifiedKey | undefined>; keyId: string | undefined; until: number }

const GOOD_FOR_MS = 5_000
const BAD_FOR_MS = 1_000
const MOST_ENTRIES = 10_000

/**
 * Remembers verified keys for at most 5 seconds, which bounds how long a revoked key works when no word of the
 * revocation comes through. Look-ups of one key at the same time share a call. A failed look-up is not remembered.
 */
export function keyCache(verifyKey: Client<typeof accounts>['verifyKey']): KeyCache {
  const entries = new Map<string, Entry>()

  const lookUp = (keyDigest: string): Entry => {
    const entry: Entry = {
      keyId: undefined,
      until: performance.now() + GOOD_FOR_MS,
      answer: verifyKey({ keyDigest }).then(
        (found) => {
          entry.keyId = found.keyId
          return found
        },
        (error: unknown) => {
          if (!(error instanceof AppError) || error.code !== 'unauthorized') {
            entries.delete(keyDigest)
            throw error
          }
          entry.until = performance.now() + BAD_FOR_MS
          return undefined
        },
      ),
    }
    // The oldest entry goes; a map keeps the order of insertion.
    if (entries.size >= MOST_ENTRIES) entries.delete(entries.keys().next().value ?? '')
    entries.set(keyDigest, entry)
    return entry
  }

  return {
    async find(digest) {
      const known = entries.get(digest)
      if (known && known.until <= performance.now()) entries.delete(digest)
      const found = await (entries.get(digest) ?? lookUp(digest)).answer
      const { expiresAt } = found?.key ?? {}
      return expiresAt && Date.parse(expiresAt) <= Date.now() ? undefined : found
    },
    evict(keyId) {
      for (const [digest, entry] of entries) if (entry.keyId === keyId) entries.delete(digest)
    },
  }
}
