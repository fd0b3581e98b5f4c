import 'reflect-metadata'
import type { INestMicroservice } from '@nestjs/common'
import type { Contract } from '@herald/contracts/rpc'
import type { Bus } from './bus.ts'
import type { ServiceConfig } from './config.ts'
import type { Consumer } from './consumer.ts'
import { consumerController } from './consumer-controller.ts'
import { isWithin } from './deadline.ts'
import { drainFor } from './drain.ts'
import { startInternalListener } from './internal-listener.ts'
import { JetStreamServer } from './jetstream-server.ts'
import type { Logger } from './logger.ts'
import { nestApp } from './nest-app.ts'
import { type Dispatch, dispatcher, type Rpc } from './rpc-dispatch.ts'
import { BusServer, rpcController } from './rpc-server.ts'

export type ServiceOptions<C extends Contract> = {
  name: string
  config: Pick<ServiceConfig, 'INTERNAL_HOST' | 'INTERNAL_PORT' | 'RPC_SECRET'> &
    Partial<Pick<ServiceConfig, 'DRAIN_SECONDS'>>
  bus: Bus
  logger: Logger
  rpc?: Rpc<C>
  consumers?: readonly Consumer[]
  /** Whether the service's own parts, such as its database, are well. */
  isReady?: () => Promise<boolean>
  /** The service is about to stop and goes on serving for `DRAIN_SECONDS`: its own listeners let their clients go. */
  onDrain?: () => void
  /** Closes what the service opened, the bus among it, after its intake has stopped. */
  onClose?: () => Promise<void>
  /** How long to wait for NATS before going on without it; 5 s unless said otherwise. */
  natsWaitMs?: number
}

export type RunningService = {
  /** The internal listener. */
  url: string
  close: () => Promise<void>
}

const NATS_WAIT_MS = 5_000
const READY_WITHIN_MS = 2_000

/**
 * Starts a service: its listener with the direct road, its calls over NATS, its consumers. Resolves when both roads
 * serve. When NATS is not reached in time it resolves all the same, and NATS is bound when it appears. A bus that ends
 * for good ends the process, by an unhandled rejection.
 */
export async function startService<C extends Contract>(
  options: ServiceOptions<C>,
): Promise<RunningService> {
  const { bus, logger, natsWaitMs = NATS_WAIT_MS } = options
  // The dispatcher looks operations up by name, so it takes a contract of any shape.
  const rpc = options.rpc as Rpc | undefined
  const dispatch = rpc && dispatcher(rpc, logger)
  const state = { isClosing: false }
  const listener = await listen(options, dispatch, () => !state.isClosing)
  const apps = await makeApps(options, rpc, dispatch)
  const closeApps = () => Promise.all(apps.map((app) => app.close()))
  try {
    const listening = Promise.all([bus.connection(), ...apps.map((app) => app.listen())])
    if (!(await isWithin(natsWaitMs, listening)))
      logger.warn('NATS is not there; calls take the direct road until it is.')
  } catch (error) {
    await Promise.all([closeApps(), listener.close()])
    throw error
  }
  void endWith(bus)
  const close = async () => {
    state.isClosing = true
    listener.drain()
    options.onDrain?.()
    await drainFor(options.config.DRAIN_SECONDS)
    await closeApps()
    await listener.close()
    await options.onClose?.()
  }
  let closed: Promise<void> | undefined
  return { url: listener.url, close: () => (closed ??= close()) }
}

function listen<C extends Contract>(
  { name, config, bus, logger, isReady }: ServiceOptions<C>,
  dispatch: Dispatch | undefined,
  isOpen: () => boolean,
) {
  return startInternalListener({
    host: config.INTERNAL_HOST,
    port: config.INTERNAL_PORT,
    secret: config.RPC_SECRET,
    logger,
    dispatch,
    checks: async () => ({
      nats: bus.isConnected(),
      [name]: isOpen() && (!isReady || (await isTrueInTime(isReady))),
    }),
  })
}

async function makeApps<C extends Contract>(
  { bus, logger, consumers = [] }: ServiceOptions<C>,
  rpc: Rpc | undefined,
  dispatch: Dispatch | undefined,
): Promise<INestMicroservice[]> {
  const apps: INestMicroservice[] = []
  if (rpc && dispatch) {
    const server = new BusServer(bus, rpc.contract.service, logger)
    apps.push(await nestApp(rpcController(rpc, dispatch), server, logger))
  }
  for (const consumer of consumers) {
    const server = new JetStreamServer(bus, consumer, logger)
    apps.push(await nestApp(consumerController(consumer), server, logger))
  }
  return apps
}

/** A check that fails or hangs is a no. */
async function isTrueInTime(check: () => Promise<boolean>): Promise<boolean> {
  let answer = false
  const asked = check().then((value) => (answer = value))
  return (await isWithin(READY_WITHIN_MS, asked).catch(() => false)) && answer
}

async function endWith(bus: Bus): Promise<void> {
  const error = await bus.closed
  if (error) throw error
}
