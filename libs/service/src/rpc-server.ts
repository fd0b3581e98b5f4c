import 'reflect-metadata'
import { Controller, type Type } from '@nestjs/common'
import { Ctx, MessagePattern, type NatsContext, Payload, ServerNats } from '@nestjs/microservices'
import {
  InvalidArgumentError,
  type Msg,
  type NatsConnection,
  type Subscription,
} from '@nats-io/transport-node'
import { rpcSubject } from '@herald/contracts/rpc'
import type { Bus } from './bus.ts'
import { isWithin } from './deadline.ts'
import type { Logger } from './logger.ts'
import type { Dispatch, Rpc } from './rpc-dispatch.ts'
import { contextFrom, hiddenFailure, type Reply } from './rpc-wire.ts'

const CLOSE_WITHIN_MS = 15_000

/** The one Nest controller of a service: a method for each operation of its contract. */
export function rpcController({ contract }: Rpc, dispatch: Dispatch): Type {
  class RpcController {}
  const prototype = RpcController.prototype as Record<string, unknown>
  for (const name of Object.keys(contract.operations)) {
    const value = (input: unknown, context: NatsContext): Promise<Reply> =>
      dispatch(name, input, contextFrom(headerReader(context)))
    const descriptor = { value, writable: true, enumerable: true, configurable: true }
    Object.defineProperty(prototype, name, descriptor)
    // Nest's decorators, called as functions.
    MessagePattern(rpcSubject(contract.service, name))(prototype, name, descriptor)
    Payload()(prototype, name, 0)
    Ctx()(prototype, name, 1)
  }
  Controller()(RpcController)
  return RpcController
}

function headerReader(context: NatsContext): (name: string) => string | undefined {
  const fields = context.getHeaders() as { get: (name: string) => string } | undefined
  return (name) => fields?.get(name) || undefined
}

/** Nest's NATS server on the connection that the service has already, so that one policy rules reconnecting. */
export class BusServer extends ServerNats {
  readonly #bus: Bus
  readonly #queue: string
  readonly #log: Logger
  readonly #subscriptions: Subscription[] = []
  readonly #inWork = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(bus: Bus, queue: string, logger: Logger) {
    super({ queue })
    this.#bus = bus
    this.#queue = queue
    this.#log = logger
  }

  override createNatsClient(): Promise<NatsConnection> {
    return this.#bus.connection()
  }

  /** The bus follows its own connection. */
  override async handleStatusUpdates(): Promise<void> {}

  /** Calls back when the server knows of the subscriptions, so that a call made right after finds them. */
  override start(callback: (error?: unknown) => void): void {
    void this.#subscribeAll().then(() => callback(), callback)
  }

  async #subscribeAll(): Promise<void> {
    const connection = await this.#bus.connection()
    if (this.#isClosed) return
    this.bindEvents(connection)
    // The client makes the subscriptions again by itself when the connection comes back.
    await connection.flush().catch(() => undefined)
  }

  override bindEvents(connection: NatsConnection): void {
    for (const subject of this.messageHandlers.keys())
      this.#subscriptions.push(
        connection.subscribe(subject, {
          queue: this.#queue,
          callback: (error, message) => {
            if (error) this.#log.error({ error, subject }, 'A subject cannot be listened to.')
            else this.#take(subject, message)
          },
        }),
      )
  }

  #take(subject: string, message: Msg): void {
    const work: Promise<unknown> = this.handleMessage(subject, message)
      .catch((error: unknown) => this.#log.error({ error, subject }, 'A call could not be read.'))
      .finally(() => this.#inWork.delete(work))
    this.#inWork.add(work)
  }

  /** An answer that cannot be sent must not leave the caller waiting for it. */
  override getPublisher(
    message: Msg,
    id: string,
    context: NatsContext,
  ): (answer: object) => unknown {
    const publish = super.getPublisher(message, id, context)
    return (answer) => {
      try {
        return publish(answer)
      } catch (error) {
        const { subject } = message
        this.#log.error({ error, subject }, 'An answer cannot be sent.')
        const oversize = error instanceof InvalidArgumentError
        return publish({ response: { ...hiddenFailure(), oversize }, isDisposed: true })
      }
    }
  }

  /** Takes no more calls and waits until those that came are answered. The connection stays open. */
  override async close(): Promise<void> {
    this.#isClosed = true
    const drained = this.#bus.isConnected()
      ? this.#subscriptions.map((one) => one.drain().catch(() => undefined))
      : []
    const ended = Promise.all(drained).then(() => Promise.allSettled(this.#inWork))
    if (!(await isWithin(CLOSE_WITHIN_MS, ended)))
      this.#log.warn('Calls are still in work; closing goes on without them.')
  }
}
