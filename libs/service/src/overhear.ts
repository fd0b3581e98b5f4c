import { CloudEvent } from '@herald/contracts/events'
import type { Bus } from './bus.ts'
import type { Logger } from './logger.ts'

export type OverhearOptions = {
  bus: Bus
  logger: Logger
  /** Which events, such as `herald.events.v1.key.*.revoked`. */
  subject: string
  /** Told of each event, as it passes. */
  onEvent: (event: CloudEvent) => void
  /** Told after an outage, in which events may have passed unheard. */
  onGap: () => void
}

/**
 * Listens to events as they pass, for as long as the bus lives: for caches, which forget what has changed. Nothing is
 * kept for a listener that is away, so what depends on it must also end by itself after a short time.
 */
export function overhear({ bus, logger, subject, onEvent, onGap }: OverhearOptions): void {
  const hear = (text: string) => {
    const event = CloudEvent.safeParse(parse(text))
    if (event.success) onEvent(event.data)
    else logger.warn({ subject }, 'An event that passed cannot be read.')
  }
  bus.onReconnect(onGap)
  bus.connection().then(
    (connection) =>
      connection.subscribe(subject, {
        callback: (error, message) => {
          if (error) return logger.warn({ error, subject }, 'Events are not heard of.')
          hear(message.string())
        },
      }),
    // Said by the bus already.
    () => undefined,
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
