import 'reflect-metadata'
import { Controller, type INestMicroservice, type Type } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { type CustomTransportStrategy, EventPattern, Payload } from '@nestjs/microservices'
import type { CloudEvent } from '@herald/contracts/events'
import type { Contract } from '@herald/contracts/rpc'
import type { Bus } from './bus.ts'
import type { ServiceConfig } from './config.ts'
import type { Consumer } from './consumer.ts'
import { startInternalListener } from './internal-listener.ts'
import { JetStreamServer } from './jetstream-server.ts'
import type { Logger } from './logger.ts'
import { type Dispatch, dispatcher, type Rpc } from './rpc-dispatch.ts'
import { BusServer, rpcController } from './rpc-server.ts'

export type ServiceOptions<C extends Contract> = {
  name: string
  config: Pick<ServiceConfig, 'INTERNAL_HOST' | 'INTERNAL_PORT' | 'RPC_SECRET'>
  bus: Bus
  logger: Logger
  rpc?: Rpc<C>
  consumers?: readonly Consumer[]
  /** Whether the service's own parts, such as its database, are well. */
  isReady?: () => Promise<boolean>
  /** Closes what the service opened, after its intake has stopped. */
  onClose?: () => Promise<void>
}

export type RunningService = {
  /** The internal listener. */
  url: string
  close: () => Promise<void>
}

const NATS_WITHIN_MS = 5_000

/**
 * Starts a service: its listener with the direct road, its calls over NATS, its consumers. Resolves when both roads
 * serve. When NATS is not reached within 5 s it resolves all the same, and NATS is bound when it appears.
 */
export async function startService<C extends Contract>(
  options: ServiceOptions<C>,
): Promise<RunningService> {
  const { name, config, bus, logger, consumers = [] } = options
  // The dispatcher looks operations up by name, so it takes a contract of any shape.
  const rpc = options.rpc as Rpc | undefined
  const dispatch = rpc && dispatcher(rpc, logger)
  const listener = await startInternalListener({
    host: config.INTERNAL_HOST,
    port: config.INTERNAL_PORT,
    secret: config.RPC_SECRET,
    dispatch,
    checks: async () => ({
      nats: bus.isConnected(),
      [name]: (await options.isReady?.().catch(() => false)) ?? true,
    }),
  })
  const apps: INestMicroservice[] = []
  if (rpc && dispatch) apps.push(await serveRpc(rpc, dispatch, bus))
  for (const consumer of consumers) apps.push(await serveConsumer(consumer, bus, logger))
  const listening = Promise.all(apps.map((app) => app.listen()))
  if (!(await isWithin(NATS_WITHIN_MS, listening)))
    logger.warn('NATS is not there; calls take the direct road until it is.')
  return {
    url: listener.url,
    close: async () => {
      await Promise.all(apps.map((app) => app.close()))
      await listener.close()
      await options.onClose?.()
    },
  }
}

function serveRpc(rpc: Rpc, dispatch: Dispatch, bus: Bus): Promise<INestMicroservice> {
  const server = new BusServer(bus, rpc.contract.service)
  return createApp(rpcController(rpc, dispatch), server)
}

function serveConsumer(consumer: Consumer, bus: Bus, logger: Logger): Promise<INestMicroservice> {
  return createApp(consumerController(consumer), new JetStreamServer(bus, consumer, logger))
}

function createApp(
  controller: Type,
  strategy: CustomTransportStrategy,
): Promise<INestMicroservice> {
  const module = { module: class ServiceModule {}, controllers: [controller] }
  return NestFactory.createMicroservice(module, { logger: false, strategy })
}

/** The one Nest controller of a consumer; Nest's decorators are called as functions. */
function consumerController(consumer: Consumer): Type {
  class ConsumerController {
    handle(event: CloudEvent): Promise<void> {
      return consumer.handle(event)
    }
  }
  const { prototype } = ConsumerController
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'handle')
  if (descriptor) EventPattern(consumer.durable)(prototype, 'handle', descriptor)
  Payload()(prototype, 'handle', 0)
  Controller()(ConsumerController)
  return ConsumerController
}

async function isWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)))
  return Promise.race([promise.then(() => true), late]).finally(() => clearTimeout(timer))
}
