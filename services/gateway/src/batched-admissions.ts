import type { Admission, quota } from '@herald/contracts/quota'
import type { Client } from '@herald/contracts/rpc'

export type QuotaClient = Pick<Client<typeof quota>, 'admit'>

/** A request to be counted. */
export type Asking = { keyId: string; organizationId: string }
/** The answer for one request: whether it is refused, and what is left. */
export type Answer = Omit<Admission, 'granted'>
/** What an organization gets whose plan is not known, or allows nothing. */
export type UnknownPlan = 'unknown plan'

type Caller = PromiseWithResolvers<Answer | UnknownPlan>
type Waiting = Asking & { callers: Caller[] }

const MOST_KEYS = 500

/**
 * Asks for all requests that come at the same moment, or while an answer is on its way, in one call. Each is counted all
 * the same, and a request that comes alone is asked for at once; but under load the calls get larger instead of more.
 */
export function batchedAdmissions({ admit }: QuotaClient) {
  let waiting = new Map<string, Waiting>()
  let isAsking = false

  const ask = async () => {
    const batch = [...waiting.values()].slice(0, MOST_KEYS)
    waiting = new Map([...waiting].slice(MOST_KEYS))
    try {
      const { admissions } = await admit({ requests: batch.map(toRequest) })
      for (const [position, { callers }] of batch.entries())
        for (const [index, { resolve }] of callers.entries())
          resolve(answerOf(admissions[position], index))
    } catch (error) {
      for (const { callers } of batch) for (const { reject } of callers) reject(error)
    }
    isAsking = waiting.size > 0
    if (isAsking) void ask()
  }

  return (asking: Asking): Caller['promise'] => {
    const caller: Caller = Promise.withResolvers()
    const entry = waiting.get(asking.keyId) ?? { ...asking, callers: [] }
    entry.callers.push(caller)
    waiting.set(asking.keyId, entry)
    if (!isAsking) {
      isAsking = true
      // After everything that has arrived in this turn of the event loop was read.
      setImmediate(() => void ask())
    }
    return caller.promise
  }
}

function toRequest({ keyId, organizationId, callers }: Waiting) {
  return { keyId, organizationId, count: callers.length }
}

function answerOf(admission: Admission | null | undefined, index: number): Answer | UnknownPlan {
  if (!admission) return 'unknown plan'
  const { granted, refusal, ...left } = admission
  return { refusal: index < granted ? null : refusal, ...left }
}
