import { unavailable } from '@herald/contracts/errors'
import type { Client, Contract, Operation } from '@herald/contracts/rpc'
import type { Bus } from './bus.ts'
import type { Logger } from './logger.ts'
import { type CallOptions, LostCall } from './lost-call.ts'
import { measureMade } from './metrics.ts'
import { callDirectly } from './rpc-direct.ts'
import { callOverNats } from './rpc-nats.ts'
import { type Reply, valueOf } from './rpc-wire.ts'

export type RpcClientOptions = {
  bus: Bus
  /** Where the service is reached when NATS is not; without it a call fails while NATS is away. */
  direct?: string | undefined
  /** What the service's direct road asks for. */
  secret: string
  logger: Logger
}

const DEADLINE_MS = 5_000
/** What a direct call gets at least, when the call over NATS has used up the rest. */
const LEAST_MS = 100

/**
 * The functions of another service. A call has the deadline of its operation (5 s unless the contract says otherwise)
 * and goes over NATS. It takes the direct road when NATS is known to be away, when nobody listens there, and when it
 * could not be sent. A call that may have happened — its deadline passed, or the connection broke under it — is made
 * again only when its operation is `safe`; else it throws `unavailable`, 503. So that a safe one is answered in time
 * all the same, it waits on NATS for half of its deadline only, where there is a direct road.
 *
 * A call carries no time at which it expires: clocks of machines differ, and nothing of it lingers on this side,
 * because it is sent only while NATS is there and the client drops what it has not sent when the connection breaks.
 * What a stalled server carries out later is a call that was reported as one that may have happened.
 */
export function rpcClient<C extends Contract>(contract: C, options: RpcClientOptions): Client<C> {
  const entries = Object.entries(contract.operations).map(([name, operation]) => [
    name,
    (input: unknown) =>
      measuredCall({ service: contract.service, name, input, operation, options }),
  ])
  // The entries are made from the contract's own operations, which the type cannot follow.
  return Object.fromEntries(entries) as Client<C>
}

type Call = Pick<CallOptions, 'service' | 'name' | 'input'> & {
  operation: Operation
  options: RpcClientOptions
}

async function measuredCall(made: Call): Promise<unknown> {
  const end = measureMade({ service: made.service, operation: made.name })
  try {
    const value = await call(made)
    end()
    return value
  } catch (error) {
    end(error)
    throw error
  }
}

async function call({ operation, options, ...target }: Call): Promise<unknown> {
  const { bus, direct, secret, logger } = options
  const startedAt = performance.now()
  const deadlineMs = operation.timeoutMs ?? DEADLINE_MS
  const isSafe = operation.safe ?? false
  if (bus.isConnected()) {
    const timeoutMs = isSafe && direct !== undefined ? deadlineMs / 2 : deadlineMs
    const outcome = await attempt(callOverNats({ ...target, timeoutMs }, bus))
    if ('reply' in outcome && !mustGoDirectly(outcome.reply, isSafe, direct))
      return valueOf(outcome.reply)
    if ('lost' in outcome) {
      const { lost } = outcome
      const { service, name } = target
      logger.warn({ error: lost, service, operation: name }, 'A call over NATS got no answer.')
      if (direct === undefined || !(lost.isUnsent || isSafe)) throw unavailable(lost)
    }
  }
  if (direct === undefined) throw unavailable()
  const timeoutMs = Math.max(deadlineMs - (performance.now() - startedAt), LEAST_MS)
  const outcome = await attempt(callDirectly({ ...target, timeoutMs }, direct, secret))
  if ('lost' in outcome) throw unavailable(outcome.lost)
  return valueOf(outcome.reply)
}

/** A value that is too large for the bus was made already; only what is safe may be made again. */
function mustGoDirectly(reply: Reply, isSafe: boolean, direct: string | undefined): boolean {
  return !reply.ok && reply.oversize === true && isSafe && direct !== undefined
}

async function attempt(calling: Promise<Reply>): Promise<{ reply: Reply } | { lost: LostCall }> {
  try {
    return { reply: await calling }
  } catch (error) {
    if (error instanceof LostCall) return { lost: error }
    throw error
  }
}
