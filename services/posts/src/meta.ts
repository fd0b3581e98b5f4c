import type { EventMeta } from '@herald/event-store/stream-type'
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
