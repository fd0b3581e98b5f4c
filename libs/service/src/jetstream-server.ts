import { CloudEvent, EVENTS_STREAM } from '@herald/contracts/events'
import {
  AckPolicy,
  type ConsumerMessages,
  DeliverPolicy,
  type JsMsg,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import { headers, type NatsConnection, nanos } from '@nats-io/transport-node'
import { type CustomTransportStrategy, Server } from '@nestjs/microservices'
import { lastValueFrom } from 'rxjs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from './bus.ts'
import type { Consumer } from './consumer.ts'
import { ensureStreams } from './jetstream.ts'
import type { Logger } from './logger.ts'
import { type Loop, loop } from './supervise.ts'

const CLOSE_WITHIN_MS = 15_000

/**
 * Nest's transport for a durable JetStream consumer. One lane for each CloudEvent subject keeps the order of a post's
 * events: an event that fails is tried again inside its lane, so no later one of the same subject overtakes it,
 * while other lanes go on. The server never gives up on its own (`max_deliver` would strand messages silently);
 * after the last try the event is copied to the dead letters and then ended. A consumer or stream that the server lost
 * is made again.
 */
export class JetStreamServer extends Server implements CustomTransportStrategy {
  override readonly transportId = Symbol('jetstream')
  readonly #bus: Bus
  readonly #consumer: Consumer
  readonly #events: Logger
  readonly #lanes = new Map<string, Promise<void>>()
  readonly #inWork = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  #messages: ConsumerMessages | undefined
  #loop: Loop | undefined

  constructor(bus: Bus, consumer: Consumer, logger: Logger) {
    super()
    this.#bus = bus
    this.#consumer = consumer
    this.#events = logger.child({ consumer: consumer.durable })
  }

  /** Starts consuming in the background; resolves at once, because NATS may be away. */
  listen(callback: () => void): void {
    this.#loop = loop({
      name: `consumer-${this.#consumer.durable}`,
      logger: this.#events,
      run: async (signal) => {
        const connection = await this.#bus.connection()
        if (signal.aborted) return 0
        await this.#consume(connection, signal)
        return 250
      },
    })
    callback()
  }

  /** Takes no more events, waits for those in work, and leaves the connection open. */
  async close(): Promise<void> {
    this.#closing.abort()
    const ending = this.#loop?.close()
    await this.#messages?.close()
    await ending
    let timer: NodeJS.Timeout | undefined
    const late = new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_WITHIN_MS)))
    await Promise.race([Promise.allSettled(this.#inWork), late])
    clearTimeout(timer)
    if (this.#bus.isConnected()) await (await this.#bus.connection()).flush()
  }

  /** There are no client events to listen to. */
  on(): void {}

  unwrap<T>(): T {
    return this.#bus as T
  }

  async #consume(connection: NatsConnection, signal: AbortSignal): Promise<void> {
    const { stream, durable, filterSubject, concurrency, ackWaitMs } = this.#consumer
    if (stream === EVENTS_STREAM) await ensureStreams(connection)
    const manager = await jetstreamManager(connection, { checkAPI: false })
    await manager.consumers.add(stream, {
      durable_name: durable,
      filter_subject: filterSubject,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: concurrency * 4,
      max_deliver: -1,
    })
    const consumer = await jetstream(connection, { checkAPI: false } as never).consumers.get(
      stream,
      durable,
    )
    const messages = await consumer.consume({
      max_messages: concurrency * 2,
      expires: 10_000,
      idle_heartbeat: 1_000,
      abort_on_missing_resource: true,
    })
    this.#messages = messages
    void this.#watch(messages)
    for await (const message of messages) {
      if (signal.aborted) break
      this.#enqueue(message)
      if (this.#inWork.size >= concurrency) await Promise.race(this.#inWork)
    }
  }

  /** Ends the present pull when the server has forgotten it, so that the loop makes everything anew. */
  async #watch(messages: ConsumerMessages): Promise<void> {
    for await (const { type } of messages.status())
      if (
        type === 'heartbeats_missed' ||
        type === 'consumer_not_found' ||
        type === 'consumer_deleted' ||
        type === 'stream_not_found'
      )
        messages.stop()
  }

  #enqueue(message: JsMsg): void {
    const event = readEvent(message)
    const lane = event?.subject ?? message.subject
    const before = this.#lanes.get(lane) ?? Promise.resolve()
    const alive = setInterval(() => message.working(), this.#consumer.ackWaitMs / 2)
    const done = before
      .then(() => this.#handle(message, event))
      .catch((error: unknown) => {
        if (this.#closing.signal.aborted) return
        this.#events.error({ error }, 'An event could not be settled; it will come again.')
      })
      .finally(() => {
        clearInterval(alive)
        this.#inWork.delete(done)
        if (this.#lanes.get(lane) === done) this.#lanes.delete(lane)
      })
    this.#lanes.set(lane, done)
    this.#inWork.add(done)
  }

  async #handle(message: JsMsg, event: CloudEvent | undefined): Promise<void> {
    if (!event) return this.#bury(message, 'It is not a CloudEvent.')
    const { maxDeliver, backoffMs } = this.#consumer
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#callHandler(event)
        message.ack()
        return
      } catch (error) {
        this.#events.warn({ error, attempt, event: event.id }, 'An event could not be handled yet.')
        if (attempt >= maxDeliver) return this.#bury(message, String(error))
        await this.#pause(backoffMs[Math.min(attempt, backoffMs.length) - 1] ?? 1_000)
      }
    }
  }

  async #callHandler(event: CloudEvent): Promise<void> {
    const handler = this.getHandlerByPattern(this.#consumer.durable)
    if (!handler) throw new Error('The consumer has no handler.')
    await lastValueFrom(this.transformToObservable(await handler(event)), {
      defaultValue: undefined,
    })
  }

  /** Waits before a further try. A consumer that closes leaves the event to be delivered again. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal })
  }

  /** First the copy, then the end: a crash in between delivers the event again, and loses nothing. */
  async #bury(message: JsMsg, reason: string): Promise<void> {
    const connection = await this.#bus.connection()
    const fields = headers()
    fields.set('Herald-Reason', reason.slice(0, 500).replaceAll(/[\r\n]+/g, ' '))
    fields.set('Herald-Subject', message.subject)
    await jetstream(connection).publish(`herald.dead.${this.#consumer.durable}`, message.data, {
      msgID: `${this.#consumer.durable}-${message.info.stream}-${message.seq}`,
      headers: fields,
      timeout: 5_000,
    })
    message.term(reason.slice(0, 200))
    this.#events.error({ subject: message.subject, reason }, 'An event went to the dead letters.')
  }
}

function readEvent(message: JsMsg): CloudEvent | undefined {
  try {
    return CloudEvent.safeParse(message.json()).data
  } catch {
    return undefined
  }
}
