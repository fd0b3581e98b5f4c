import type { Admission, quota } from '@herald/contracts/quota'
import type { Client } from '@herald/contracts/rpc'
import { inBatches } from '@herald/service/batches'

export type QuotaClient = Pick<Client<typeof quota>, 'admit'>

/** A request to be counted. */
export type Asking = { keyId: string; organizationId: string }
/** The answer for one request: whether it is refused, and what is left. */
export type Answer = Omit<Admission, 'granted'>
/** What an organization gets whose plan is not known, or allows nothing. */
export type UnknownPlan = 'unknown plan'

const MOST_AT_ONCE = 500

/**
 * Asks for all requests that come at the same moment, or while an answer is on its way, in one call, in which a key
 * stands once with the number of its requests. Each request is counted all the same.
 */
export function batchedAdmissions(
  client: QuotaClient,
): (asking: Asking) => Promise<Answer | UnknownPlan> {
  return inBatches((batch) => admitAll(client, batch), MOST_AT_ONCE)
}

async function admitAll(
  { admit }: QuotaClient,
  batch: readonly Asking[],
): Promise<(Answer | UnknownPlan)[]> {
  const byKey = Map.groupBy(batch, ({ keyId }) => keyId)
  const requests = [...byKey].flatMap(([keyId, { 0: first, length }]) =>
    first ? [{ keyId, organizationId: first.organizationId, count: length }] : [],
  )
  const { admissions } = await admit({ requests })
  const left = new Map(requests.map(({ keyId }, index) => [keyId, dealer(admissions[index])]))
  return batch.map(({ keyId }) => left.get(keyId)?.() ?? 'unknown plan')
}

/** Gives the requests of a key their answers one after the other: so many pass, and the others are refused. */
function dealer(admission: Admission | null | undefined): () => Answer | UnknownPlan {
  if (!admission) return () => 'unknown plan'
  const { granted, refusal, ...left } = admission
  let given = 0
  return () => ({ refusal: given++ < granted ? null : refusal, ...left })
}
