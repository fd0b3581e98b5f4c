import { z } from 'zod'
import { FaultKind, PlatformName } from './faults.ts'
import type { Store } from './store.ts'

const CommitRequest = z.object({
  platform: PlatformName,
  account: z.string().nullable(),
  at: z.string(),
  applied: z.boolean(),
  fault: FaultKind.nullable(),
})
type CommitRequest = z.infer<typeof CommitRequest>

export type Requests = ReturnType<typeof createRequests>

/** Every call that would make a post live, as it was received, and whether it did. */
export function createRequests(store: Store) {
  const table = store.table('requests', CommitRequest)
  let count = table.all().length
  return {
    record(request: CommitRequest) {
      count += 1
      table.put(String(count), request)
    },
    list: table.all,
  }
}
