import { Platform } from '@herald/contracts/platforms'
import { z } from 'zod'
import { FaultKind } from './faults.ts'
import type { Ledger } from './ledger.ts'

/** One call that was to make a post live, as the platform received it. */
const CommitRequest = z.object({
  platform: Platform,
  /** Whose token it carried; null when nobody's. */
  account: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  /** The idempotency key or record key. */
  key: z.string().nullable(),
  at: z.string(),
  fault: FaultKind.nullable(),
  /** The status of the answer, whether or not the fault let it through. */
  status: z.number(),
  /** Whether this call made a post live or changed one. A repeat that is answered with the first post did not. */
  applied: z.boolean(),
  postId: z.string().nullable(),
})
export type CommitRequest = z.infer<typeof CommitRequest>

export type Requests = {
  list: () => readonly CommitRequest[]
  record: (request: CommitRequest) => void
}

/** Every commit request, oldest first: how a test proves that nothing was sent twice. */
export function openRequests(ledger: Ledger): Requests {
  const part = ledger.part({
    name: 'requests',
    schema: CommitRequest,
    empty: (): CommitRequest[] => [],
    apply: (state, request) => void state.push(request),
  })
  return { list: () => part.state, record: part.record }
}
