import 'reflect-metadata'
import { Controller, type Type } from '@nestjs/common'
import type { NatsContext } from '@nestjs/microservices'
import { Ctx, MessagePattern, Payload, ServerNats } from '@nestjs/microservices'
import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import type { Bus } from './bus.ts'
import type { Dispatch, Rpc } from './rpc-dispatch.ts'
import { contextFrom, type Reply, rpcSubject } from './rpc-wire.ts'

/** The one Nest controller of a service: a method for each operation of its contract. */
export function rpcController({ contract }: Rpc, dispatch: Dispatch): Type {
  class RpcController {}
  const prototype = RpcController.prototype as Record<string, unknown>
  for (const name of Object.keys(contract.operations)) {
    prototype[name] = (input: unknown, context: NatsContext): Promise<Reply> =>
      dispatch(name, input, contextFrom(headerReader(context)))
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
    if (!descriptor) continue
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
  readonly #bound: Subscription[] = []
  readonly #inWork = new Set<Promise<unknown>>()

  constructor(bus: Bus, queue: string) {
    super({ queue })
    this.#bus = bus
    this.#queue = queue
  }

  override createNatsClient(): Promise<NatsConnection> {
    return this.#bus.connection()
  }

  /** The bus follows its own connection. */
  override async handleStatusUpdates(): Promise<void> {}

  override bindEvents(connection: NatsConnection): void {
    for (const subject of this.messageHandlers.keys())
      this.#bound.push(
        connection.subscribe(subject, {
          queue: this.#queue,
          callback: (error, message) => {
            if (error) return
            const work = this.handleMessage(subject, message)
              .catch((failure: unknown) => this.handleError(String(failure)))
              .finally(() => this.#inWork.delete(work))
            this.#inWork.add(work)
          },
        }),
      )
  }

  /** Takes no more calls and waits until those that came are answered. The connection stays open. */
  override async close(): Promise<void> {
    if (this.#bus.isConnected())
      await Promise.all(this.#bound.map((one) => one.drain().catch(() => undefined)))
    await Promise.allSettled(this.#inWork)
  }
}
