import { CloudEvent, eventSubject } from '@herald/contracts/events'
import type { Bus } from '@herald/service/bus'
import type { Logger } from '@herald/service/logger'

export type RevocationDeps = {
  bus: Bus
  logger: Logger
  /** Forgets one key. */
  evict: (keyId: string) => void
  /** Forgets all keys. */
  clear: () => void
}

/**
 * Listens for revoked keys as long as the bus lives. Without NATS nothing is heard and nothing fails: what is cached
 * ends by itself after seconds.
 */
export function followRevocations({ bus, logger, evict, clear }: RevocationDeps): void {
  const hear = (data: unknown) => {
    const event = CloudEvent.safeParse(data)
    if (event.success) evict(event.data.subject)
    else logger.warn('A message about a revoked key cannot be read.')
  }
  bus.onReconnect(clear)
  bus.connection().then(
    (connection) =>
      connection.subscribe(eventSubject('key', '*', 'revoked'), {
        callback: (error, message) => {
          if (error) return logger.warn({ error }, 'Revoked keys are not heard of.')
          hear(parse(message.string()))
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
