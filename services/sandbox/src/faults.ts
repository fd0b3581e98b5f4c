import { Platform } from '@herald/contracts/platforms'
import { z } from 'zod'
import type { OperationKind } from './stand-in.ts'

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

/** What to do wrong, to whom, and how many times. */
export const Fault = z.strictObject({
  platform: Platform,
  /** Any account when absent. */
  account: z.string().min(1).optional(),
  kind: FaultKind,
  times: z.int().min(1).max(10_000),
  on: z.enum(['commit', 'media', 'auth', 'read', 'any']).default('commit'),
})
export type Fault = z.infer<typeof Fault>

type Occasion = { platform: Platform; account: string | undefined; kind: OperationKind }

export type Faults = {
  arm: (fault: Fault) => void
  /** The first armed fault that fits, used up by one. */
  take: (occasion: Occasion) => FaultKind | undefined
  /** What is armed, with how many times are left. */
  list: () => Fault[]
  clear: () => void
}

/** The armed faults, in the order they were armed. They are not kept: a restart disarms them. */
export function openFaults(): Faults {
  let armed: Fault[] = []
  return {
    arm: (fault) => void armed.push({ ...fault }),
    take: (occasion) => {
      const fault = armed.find((one) => fits(one, occasion))
      if (!fault) return undefined
      fault.times -= 1
      armed = armed.filter(({ times }) => times > 0)
      return fault.kind
    },
    list: () => armed.map((fault) => ({ ...fault })),
    clear: () => {
      armed = []
    },
  }
}

function fits(fault: Fault, { platform, account, kind }: Occasion): boolean {
  return (
    fault.platform === platform &&
    (fault.account === undefined || fault.account === account) &&
    kind !== 'page' &&
    (fault.on === 'any' || fault.on === kind)
  )
}
