import { type ReplayAnswer, replaySubject } from '@herald/contracts/events'
import type { Msg } from '@nats-io/transport-node'
import type { Bus } from './bus.ts'
import { LETTER_SUBJECT, printable } from './dead-letters.ts'
import { readEvent } from './event-body.ts'
import type { EventWork } from './event-work.ts'
import type { Logger } from './logger.ts'

/**
 * Lets an operator ask a running consumer to handle one event once more: a request on `herald.replay.<durable>`, which
 * one of its processes takes and answers when its handler has ended. No other consumer sees it. Returns how to stop.
 */
export function serveReplays(
  bus: Bus,
  durable: string,
  work: Pick<EventWork, 'replay'>,
  logger: Logger,
): () => void {
  let stop = () => {}
  let isStopped = false
  const begin = async () => {
    const connection = await bus.connection()
    if (isStopped) return
    const subscription = connection.subscribe(replaySubject(durable), {
      queue: durable,
      callback: (error, message) => {
        // Where NATS does not allow it there is no replay; the consumer works all the same.
        if (error) logger.warn({ error }, 'Replays cannot be listened to.')
        else void answer(message, work, logger)
      },
    })
    stop = () => subscription.unsubscribe()
  }
  // A bus that never connects has said so itself.
  void begin().catch(() => undefined)
  return () => {
    isStopped = true
    stop()
  }
}

async function answer(message: Msg, work: Pick<EventWork, 'replay'>, logger: Logger) {
  const result = await replay(message, work)
  logger.info({ replay: result }, 'An event was replayed.')
  try {
    message.respond(JSON.stringify(result))
  } catch (error) {
    logger.warn({ error }, 'Nobody could be told of a replay.')
  }
}

async function replay(message: Msg, work: Pick<EventWork, 'replay'>): Promise<ReplayAnswer> {
  const event = readEvent(message)
  if (!event) return { handled: false, reason: 'It is not a CloudEvent.' }
  const failure = await work.replay(event, message.headers?.get(LETTER_SUBJECT) ?? '')
  return failure ? { handled: false, reason: printable(String(failure.error)) } : { handled: true }
}
