import type { ChannelAccess } from '@herald/contracts/channels'
import type { PublishFile, PublishInput } from '@herald/platforms/platform'
import { type Attempt, idempotencyKey } from './attempt.ts'

/** What every call to the platform says. The token's bearer and the texts stay as they are for the whole attempt. */
export function publishInput(
  attempt: Attempt,
  access: ChannelAccess,
  media: PublishFile[],
  timeoutMs: number,
): PublishInput {
  return {
    baseUrl: access.baseUrl,
    settings: access.settings,
    token: access.token,
    account: access.account,
    username: access.username,
    limits: access.limits,
    idempotencyKey: idempotencyKey(attempt),
    rkeyTime: Date.parse(attempt.first_created_at ?? attempt.created_at),
    createdAt: attempt.created_at,
    text: attempt.content,
    options: attempt.options,
    media,
    signal: AbortSignal.timeout(timeoutMs),
  }
}
