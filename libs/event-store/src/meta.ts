import type { EventMeta } from './stream-type.ts'
import { currentContext } from '@herald/service/context'

/** Who causes an event, and within which request. */
export function metaOf(actor: string): EventMeta {
  const context = currentContext()
  return {
    actor,
    ...(context && { requestId: context.requestId }),
    ...(context?.traceparent !== undefined && { traceparent: context.traceparent }),
  }
}
