import { z } from 'zod'
import type { PlatformName } from './ledger.ts'

/** What can be made to go wrong; `_after` kinds go wrong after the post is live. */
export const FaultKind = z.enum([
  'drop_before',
  'drop_after',
  'hang_after',
  'error_before',
  'error_after',
  'rate_limit',
  'auth_expired',
  'malformed',
  'slow',
])
export type FaultKind = z.infer<typeof FaultKind>

/** Which calls a fault meets: the one that makes a post live, uploads, logins, reads, or any. */
export const FaultTarget = z.enum(['commit', 'media', 'auth', 'read', 'any'])
export type FaultTarget = z.infer<typeof FaultTarget>

/** A fault to come: `times` calls of a platform, or of one account of it. */
export const Fault = z.strictObject({
  platform: z.enum(['MASTODON', 'BLUESKY']),
  account: z.string().optional(),
  kind: FaultKind,
  times: z.int().min(1).max(1_000_000),
  on: FaultTarget.default('commit'),
})
export type Fault = z.infer<typeof Fault>

export type Faults = {
  list: () => Fault[]
  arm: (fault: Fault) => void
  clear: () => void
  /** The fault that meets this call, used up by one. */
  take: (
    platform: PlatformName,
    account: string | undefined,
    target: FaultTarget,
  ) => FaultKind | undefined
}

/** The armed faults, oldest first. */
export function createFaults(): Faults {
  let armed: Fault[] = []
  return {
    list: () => armed,
    arm: (fault) => void armed.push({ ...fault }),
    clear: () => (armed = []),
    take(platform, account, target) {
      const fault = armed.find(
        (one) =>
          one.platform === platform &&
          (one.account === undefined || one.account === account) &&
          (one.on === 'any' || one.on === target),
      )
      if (!fault) return undefined
      fault.times -= 1
      armed = armed.filter(({ times }) => times > 0)
      return fault.kind
    },
  }
}
