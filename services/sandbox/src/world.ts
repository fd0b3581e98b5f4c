import type { Faults } from './faults.ts'
import { type Account, accountKey, type Ledger, type PlatformName } from './ledger.ts'

/** What every part of the sandbox works with. */
export type World = {
  ledger: Ledger
  faults: Faults
  /** Milliseconds since 1970, by the sandbox's clock, which tests can move. */
  now: () => number
  /** The sandbox's own address. */
  url: () => string
}

/** An account of a platform that fits a description and whose grant is not revoked. */
export function findAccount(
  { ledger }: World,
  platform: PlatformName,
  fits: (account: Account) => boolean,
): Account | undefined {
  return ledger.accounts.find(
    (account) =>
      account.platform === platform &&
      !ledger.revoked.has(accountKey(platform, account.id)) &&
      fits(account),
  )
}

/** The sandbox's time as platforms write it. */
export function nowIso({ now }: World): string {
  return new Date(now()).toISOString()
}
