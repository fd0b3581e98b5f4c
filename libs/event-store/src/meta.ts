import type { EventMeta } from './stream-type.ts'
import { currentContext } from '@herald/service/context'
import { activeTraceparent } from '@herald/telemetry/span'

/** Who causes an event, and within which request. */
export function metaOf(actor: string): EventMeta {
  const context = currentContext()
  const traceparent = activeTraceparent() ?? context?.traceparent
  return {
    actor,
    ...(context && { requestId: context.requestId }),
    ...(traceparent !== undefined && { traceparent }),
  }
}
