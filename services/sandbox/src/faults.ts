import { z } from 'zod'

export const PlatformName = z.enum(['MASTODON', 'BLUESKY'])
export type PlatformName = z.infer<typeof PlatformName>

/** What goes wrong: `_before` means that nothing happens, `_after` that it happens and the caller does not learn it. */
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

/** Kinds of calls: a commit makes a post live. */
export const CallKind = z.enum(['commit', 'media', 'auth', 'read'])
export type CallKind = z.infer<typeof CallKind>

export const NewFault = z.strictObject({
  platform: PlatformName,
  account: z.string().min(1).optional(),
  kind: FaultKind,
  times: z.int().min(1).max(100_000),
  on: z.enum([...CallKind.options, 'any']).default('commit'),
})
export type Fault = z.infer<typeof NewFault>

export type Faults = ReturnType<typeof createFaults>

type Call = { platform: PlatformName; account: string | null; on: CallKind }

/** The faults that are armed; each hits its number of matching calls, the oldest first, then is gone. */
export function createFaults() {
  let armed: Fault[] = []
  return {
    list: (): Fault[] => armed.map((fault) => ({ ...fault })),
    arm(fault: Fault) {
      armed.push({ ...fault })
    },
    clear() {
      armed = []
    },
    /** Uses up one time of the fault that this call meets. */
    take(call: Call): FaultKind | undefined {
      const fault = armed.find(
        ({ platform, account, on }) =>
          platform === call.platform &&
          (account === undefined || account === call.account) &&
          (on === 'any' || on === call.on),
      )
      if (!fault) return undefined
      fault.times -= 1
      armed = armed.filter(({ times }) => times > 0)
      return fault.kind
    },
  }
}
