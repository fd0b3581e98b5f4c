import type { CloudEvent } from '@herald/contracts/events'
import { type CustomTransportStrategy, Server } from '@nestjs/microservices'
import { isObservable, lastValueFrom, type Observable } from 'rxjs'
import type { Bus } from './bus.ts'
import type { Consumer, Delivery } from './consumer.ts'
import type { HandlerFailure } from './consumer-controller.ts'
import { copyToDeadLetters } from './dead-letters.ts'
import { isWithin } from './deadline.ts'
import { pendingEvents, pullEvents } from './event-pull.ts'
import { type EventWork, startEventWork } from './event-work.ts'
import type { Logger } from './logger.ts'
import { serveReplays } from './serve-replays.ts'
import { observePending } from './metrics.ts'
import { type Loop, loop } from './supervise.ts'

type HandlerAnswer = HandlerFailure | undefined

const LOOK_FOR_NATS_MS = 250
const FLUSH_WITHIN_MS = 2_000

/**
 * Nest's transport for a durable JetStream pull consumer with explicit acknowledgements. It works through outages of
 * NATS and makes a consumer or stream that the server lost again. How events are worked on stands in `event-work.ts`.
 */
export class JetStreamServer extends Server implements CustomTransportStrategy {
  override readonly transportId = Symbol('jetstream')
  readonly #bus: Bus
  readonly #consumer: Consumer
  readonly #log: Logger
  readonly #work: EventWork
  #loop: Loop | undefined
  #stopListening = () => {}
  #stopReplays = () => {}
  #stopMeasuring = () => {}

  constructor(bus: Bus, consumer: Consumer, logger: Logger) {
    super()
    this.#bus = bus
    this.#consumer = consumer
    this.#log = logger.child({ consumer: consumer.durable })
    this.#work = startEventWork({
      consumer,
      logger: this.#log,
      isConnected: bus.isConnected,
      callHandler: (event, delivery) => this.#callHandler(event, delivery),
      copyToDeadLetters: async (message, reason) =>
        copyToDeadLetters(bus, consumer.durable, message, reason),
    })
  }

  /** Starts consuming in the background; calls back at once, because NATS may be away. */
  listen(callback: () => void): void {
    const pulling = loop({
      name: `consumer-${this.#consumer.durable}`,
      logger: this.#log,
      run: async (signal) => {
        if (!this.#bus.isConnected()) return LOOK_FOR_NATS_MS
        await pullEvents(this.#bus, this.#consumer, this.#work, signal)
        return 0
      },
    })
    this.#loop = pulling
    this.#stopListening = this.#bus.onReconnect(pulling.wake)
    this.#stopReplays = serveReplays(this.#bus, this.#consumer.durable, this.#work, this.#log)
    this.#stopMeasuring = observePending(this.#consumer.durable, () =>
      pendingEvents(this.#bus, this.#consumer),
    )
    callback()
  }

  /** Takes no more events, waits for the handlers that run, and leaves the connection open. */
  async close(): Promise<void> {
    this.#stopListening()
    this.#stopReplays()
    this.#stopMeasuring()
    await this.#work.close(this.#loop?.close() ?? Promise.resolve())
    if (!this.#bus.isConnected()) return
    const connection = await this.#bus.connection()
    await isWithin(FLUSH_WITHIN_MS, connection.flush()).catch(() => undefined)
  }

  /** There are no client events to listen to. */
  on(): void {}

  unwrap<T>(): T {
    // Nest's signature leaves the type to the caller.
    return this.#bus as T
  }

  async #callHandler(event: CloudEvent, delivery: Delivery): Promise<HandlerAnswer> {
    try {
      const handler = this.getHandlerByPattern(this.#consumer.durable)
      if (!handler) throw new Error('The consumer has no handler.')
      const answer: HandlerAnswer | Observable<HandlerAnswer> = await handler(event, delivery)
      return isObservable(answer)
        ? await lastValueFrom(answer, { defaultValue: undefined })
        : answer
    } catch (error) {
      return { error }
    }
  }
}
