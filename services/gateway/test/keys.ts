import type { accounts, Scope } from '@herald/contracts/accounts'
import { AppError } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import type { Client } from '@herald/contracts/rpc'
import { checksumOf, digestOfKey } from '../src/api-key.ts'

export type Verified = Awaited<ReturnType<Client<typeof accounts>['verifyKey']>>

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** A key of the right shape that nobody has issued. */
export function makeKey(): string {
  const random = Array.from(crypto.getRandomValues(new Uint8Array(40)), (byte) =>
    CHARACTERS.charAt(byte % CHARACTERS.length),
  )
  const start = `herald_live_${random.join('')}`
  return start + checksumOf(start)
}

export type KeyOptions = {
  scopes?: Scope[]
  channels?: Verified['key']['channels']
  expiresAt?: string | null
  apiAccess?: boolean
}

/** The accounts service as the gateway sees it: what it was asked, and what it answers. */
export function testAccounts() {
  const issued = new Map<string, Verified>()
  const asked: string[] = []
  let failure: unknown
  return {
    asked,
    issue(options: KeyOptions = {}): { key: string; verified: Verified } {
      const key = makeKey()
      const verified = verifiedKey(key, options)
      issued.set(digestOfKey(key), verified)
      return { key, verified }
    },
    revoke: (key: string) => void issued.delete(digestOfKey(key)),
    /** From now on it fails like this, or answers again. */
    failWith(error: unknown) {
      failure = error
    },
    verifyKey: async ({ keyDigest }: { keyDigest: string }): Promise<Verified> => {
      asked.push(keyDigest)
      if (failure) throw failure
      const verified = issued.get(keyDigest)
      if (!verified) throw new AppError('unauthorized', 'No such key.')
      return verified
    },
  }
}

function verifiedKey(key: string, options: KeyOptions): Verified {
  const { scopes = ['read', 'publish'], channels = 'all', expiresAt = null } = options
  return {
    keyId: newId('key'),
    organization: { id: newId('organization'), name: 'Corner Bakery', plan: 'PRO' },
    apiAccess: options.apiAccess ?? true,
    key: { name: 'Website', prefix: key.slice(0, 16), scopes, channels, expiresAt },
  }
}
