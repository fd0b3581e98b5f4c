import { type Client, type Contract, contract, type Handlers } from '@herald/contracts/rpc'
import { type Bus, connectBus } from '@herald/service/bus'
import type { Consumer } from '@herald/service/consumer'
import { createLogger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import {
  type RunningService,
  type ServiceOptions,
  startService,
} from '@herald/service/start-service'
import { testNats, type TestNats } from '@herald/testing/nats'
import { z } from 'zod'

export const SECRET = 'a secret of the tests, of more than 32 characters'
/** Nobody listens there. */
export const NOWHERE = 'http://127.0.0.1:1'

export const NO_NATS = 'nats://127.0.0.1:1'

export const logger = createLogger({
  service: 'test',
  level: process.env.HERALD_TEST_LOG ?? 'silent',
})

const Text = z.object({ text: z.string().min(1) })

/** A service for tests: a question, a command, and a command that is given little time. */
export const probe = contract({
  service: 'probe',
  operations: {
    ask: { input: Text, output: Text, safe: true },
    order: { input: Text, output: Text },
    hurry: { input: Text, output: Text, timeoutMs: 200 },
  },
})

export type ProbeHandlers = Partial<Handlers<typeof probe>>

export type World = AsyncDisposable & {
  nats: TestNats
  bus: Bus
  service: RunningService
  /** Calls over NATS, or directly. */
  client: Client<typeof probe>
  /** Calls that can only have come over NATS. */
  natsClient: Client<typeof probe>
  /** Calls that can only have come directly: its bus has never reached NATS. */
  directClient: Client<typeof probe>
}

/** A NATS server, the probe service and clients of it. Handlers not given answer what they were sent. */
export async function testWorld(handlers: ProbeHandlers = {}): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const nats = stack.use(await testNats())
  const service = await startProbe(stack, nats.url, handlers)
  const bus = testBus(stack, nats.url)
  await bus.connection()
  const options = { bus, secret: SECRET, logger }
  const offline = { ...options, bus: testBus(stack, NO_NATS), direct: service.url }
  const moved = stack.move()
  return {
    nats,
    bus,
    service,
    client: rpcClient(probe, { ...options, direct: service.url }),
    natsClient: rpcClient(probe, { ...options, direct: NOWHERE }),
    directClient: rpcClient(probe, offline),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

/** Starts the probe service with a bus of its own; the stack closes both. */
export async function startProbe(
  stack: AsyncDisposableStack,
  natsUrl: string,
  handlers: ProbeHandlers = {},
  { drainSeconds = 0 } = {},
): Promise<RunningService> {
  const echo = async (input: z.output<typeof Text>) => input
  return startTestService(stack, natsUrl, {
    name: 'probe',
    rpc: { contract: probe, handlers: { ask: echo, order: echo, hurry: echo, ...handlers } },
    drainSeconds,
  })
}

/** Starts a service that only consumes. */
export function startConsumer(
  stack: AsyncDisposableStack,
  natsUrl: string,
  consumer: Consumer,
): Promise<RunningService> {
  return startTestService(stack, natsUrl, { name: 'consuming', consumers: [consumer] })
}

export async function startTestService<C extends Contract>(
  stack: AsyncDisposableStack,
  natsUrl: string,
  {
    drainSeconds = 0,
    ...options
  }: Omit<ServiceOptions<C>, 'config' | 'bus' | 'logger'> & { drainSeconds?: number },
): Promise<RunningService> {
  const bus = connectBus({ natsUrl, name: options.name, logger })
  stack.defer(bus.close)
  const service = await startService({
    config: {
      INTERNAL_HOST: '127.0.0.1',
      INTERNAL_PORT: 0,
      RPC_SECRET: SECRET,
      DRAIN_SECONDS: drainSeconds,
    },
    natsWaitMs: natsUrl === NO_NATS ? 1 : 2_000,
    bus,
    logger,
    ...options,
  })
  stack.defer(service.close)
  return service
}

/** A bus that the stack closes. */
export function testBus(stack: AsyncDisposableStack, natsUrl: string): Bus {
  const bus = connectBus({ natsUrl, name: 'test', logger })
  stack.defer(bus.close)
  return bus
}

/** A promise to be resolved from outside. */
export function gate<T = void>(): PromiseWithResolvers<T> {
  return Promise.withResolvers<T>()
}
