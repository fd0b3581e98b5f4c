import { CloudEvent } from '@herald/contracts/events'

/** The event in a message; nothing when there is none that can be read. */
export function readEvent(message: { json: () => unknown }): CloudEvent | undefined {
  try {
    return CloudEvent.safeParse(message.json()).data
  } catch {
    return undefined
  }
}
