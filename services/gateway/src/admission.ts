import { AppError, unavailable } from '@herald/contracts/errors'
import type { Quota } from '@herald/contracts/quota'
import { type Answer, batchedAdmissions, type QuotaClient } from './batched-admissions.ts'
import type { EdgeResponse, Middleware } from './locals.ts'
import type { QuotaOutage } from './quota-outage.ts'
import { rateLimitHeaders, secondsUntil } from './rate-limit-headers.ts'
import type { Session } from './session.ts'

/**
 * Counts each request of a key that may call, whatever becomes of it, and refuses what is beyond a limit with 429, which
 * does not count. Nothing of it is cached, because many gateways count together.
 */
export function admission(quota: QuotaClient, outage: QuotaOutage): Middleware {
  const ask = batchedAdmissions(quota)
  const admit = async (isRead: boolean, response: EdgeResponse): Promise<void> => {
    const { keyId, organization } = sessionIn(response)
    const call = () => ask({ keyId, organizationId: organization.id })
    const answer = await outage.ask(call, isRead)
    // Let through while nobody counts.
    if (!answer) return
    // The plan was taken away a moment ago, or accounts is away and nobody knows it: the next look at the key tells.
    if (answer === 'unknown plan') throw unavailable()
    response.locals.quota = quotaOf(answer)
    for (const [name, value] of rateLimitHeaders(answer)) response.setHeader(name, value)
    if (answer.refusal) throw refuse(answer.refusal, answer, response)
  }
  return ({ method }, response, next) => {
    admit(method === 'GET', response).then(() => next(), next)
  }
}

function sessionIn({ locals }: EdgeResponse): Session {
  if (!locals.session) throw new Error('A request came to be counted without authentication.')
  return locals.session
}

function quotaOf({ minute, month }: Answer): Quota {
  return {
    requestsPerMinute: minute.limit,
    requestsPerMonth: month.limit,
    usedThisMonth: month.used,
    resetsAt: month.resetsAt,
  }
}

function refuse(
  refusal: NonNullable<Answer['refusal']>,
  { at, minute, month }: Answer,
  response: EdgeResponse,
): AppError {
  const { resetsAt } = refusal === 'rate_limited' ? minute : month
  response.setHeader('Retry-After', Math.max(1, secondsUntil(resetsAt, at)))
  const message =
    refusal === 'rate_limited'
      ? `This key may make ${minute.limit} requests per minute.`
      : `The ${month.limit} requests that the plan allows this month are used.`
  return new AppError(refusal, message, { details: { resetsAt } })
}
