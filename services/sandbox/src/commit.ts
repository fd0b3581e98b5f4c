import type { Response } from 'express'
import type { FaultKind } from './faults.ts'
import type { Account } from './ledger.ts'
import { type Answer, send, spoil } from './respond.ts'
import { nowIso, type World } from './world.ts'

/** The errors of a platform that faults need. */
export type PlatformErrors = {
  server: () => Answer
  rateLimited: () => Answer
  authExpired: () => Answer
}

const REFUSED_BEFORE = new Set<FaultKind>([
  'drop_before',
  'error_before',
  'rate_limit',
  'auth_expired',
])

/**
 * Carries out a call that would make a post live, with the fault that may meet it. The request is written down either way.
 * `apply` makes the post live, or refuses, and says whether anything new is live.
 */
export async function commit(
  world: World,
  response: Response,
  account: Account,
  errors: PlatformErrors,
  apply: () => { answer: Answer; applied: boolean },
): Promise<void> {
  const { platform, id } = account
  const fault = world.faults.take(platform, id, 'commit')
  const isRefused = fault !== undefined && REFUSED_BEFORE.has(fault)
  const { answer, applied } = isRefused
    ? { answer: refusal(fault, errors), applied: false }
    : apply()
  world.ledger.write({
    kind: 'request',
    request: { platform, account: id, at: nowIso(world), applied, fault: fault ?? null },
  })
  if (fault) await spoil(response, answer, fault, errors.server())
  else send(response, answer)
}

function refusal(fault: FaultKind, errors: PlatformErrors): Answer {
  if (fault === 'rate_limit') return errors.rateLimited()
  return fault === 'auth_expired' ? errors.authExpired() : errors.server()
}
