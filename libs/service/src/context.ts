import { AsyncLocalStorage } from 'node:async_hooks'
import type { CallContext } from '@herald/contracts/rpc'

const storage = new AsyncLocalStorage<CallContext>()

/** Runs a function within a request: logs, calls and events made inside carry its id. */
export function runInContext<T>(context: CallContext, run: () => T): T {
  return storage.run(context, run)
}

/** The request that the present code works for, if any. */
export function currentContext(): CallContext | undefined {
  return storage.getStore()
}
