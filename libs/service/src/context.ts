import { AsyncLocalStorage } from 'node:async_hooks'
import type { CallContext } from '@herald/contracts/rpc'

/** What the present code works for. The organization is for logs; only the rest travels with a call. */
export type WorkContext = CallContext & { organizationId?: string | undefined }

const storage = new AsyncLocalStorage<WorkContext>()

/** Runs a function within a request: logs, calls and events made inside carry its id. */
export function runInContext<T>(context: WorkContext, run: () => T): T {
  return storage.run(context, run)
}

/** The request that the present code works for, if any. */
export function currentContext(): WorkContext | undefined {
  return storage.getStore()
}
