import { unavailable } from '@herald/contracts/errors'
import type { Client, Contract, Operation } from '@herald/contracts/rpc'
import { headers, NoRespondersError, RequestError } from '@nats-io/transport-node'
import type { Bus } from './bus.ts'
import { currentContext } from './context.ts'
import type { Logger } from './logger.ts'
import { contextHeaders, rpcSubject, valueOf } from './rpc-wire.ts'

export type RpcClientOptions = {
  bus: Bus
  /** Where the service is reached when NATS is not; without it a call fails while NATS is away. */
  direct?: string | undefined
  secret: string
  logger: Logger
}

const DEADLINE_MS = 5_000

/**
 * The functions of another service. A call has the deadline of its operation (5 s unless the contract says otherwise)
 * and goes over NATS. It takes the direct road when NATS is known to be away or nobody listens there. A call that
 * may have happened — its deadline passed, or the connection broke under it — is made again only when its
 * operation is `safe`; else it throws `unavailable`, 503.
 */
export function rpcClient<C extends Contract>(contract: C, options: RpcClientOptions): Client<C> {
  const entries = Object.entries(contract.operations).map(([name, operation]) => [
    name,
    (input: unknown) => call(contract.service, name, operation, input, options),
  ])
  return Object.fromEntries(entries) as Client<C>
}

async function call(
  service: string,
  name: string,
  operation: Operation,
  input: unknown,
  options: RpcClientOptions,
): Promise<unknown> {
  const deadlineMs = operation.timeoutMs ?? DEADLINE_MS
  const { bus, direct, logger } = options
  if (bus.isConnected()) {
    try {
      return valueOf(await overNats(service, name, input, deadlineMs, bus))
    } catch (error) {
      if (!isLost(error)) throw error
      const didNotHappen = isUnheard(error)
      logger.warn({ error, service, operation: name }, 'A call over NATS got no answer.')
      if (direct === undefined || !(didNotHappen || operation.safe)) throw unavailable(error)
    }
  }
  if (direct === undefined) throw unavailable()
  return valueOf(await overHttp(direct, name, input, deadlineMs, options.secret))
}

/** Any failure of the road itself; an answered error is an `AppError` and passes. */
class LostCall extends Error {
  override name = 'LostCall'
}

function isLost(error: unknown): error is LostCall {
  return error instanceof LostCall
}

/** Whether it is certain that no service received the call. */
function isUnheard(error: LostCall): boolean {
  const { cause } = error
  return (
    cause instanceof NoRespondersError || (cause instanceof RequestError && cause.isNoResponders())
  )
}

/** Speaks the wire format of Nest's NATS transport on the shared connection. */
async function overNats(
  service: string,
  name: string,
  input: unknown,
  timeout: number,
  bus: Bus,
): Promise<unknown> {
  const subject = rpcSubject(service, name)
  try {
    const connection = await bus.connection()
    const body = JSON.stringify({ pattern: subject, data: input, id: '1' })
    const carried = contextHeaders(currentContext())
    const message = await connection.request(subject, body, {
      timeout,
      ...(carried.length > 0 && { headers: toHeaders(carried) }),
    })
    return message.json<{ response?: unknown }>().response
  } catch (cause) {
    throw new LostCall('The call got no answer.', { cause })
  }
}

async function overHttp(
  address: string,
  name: string,
  input: unknown,
  timeoutMs: number,
  secret: string,
): Promise<unknown> {
  try {
    const response = await fetch(`${address}/rpc/${name}`, {
      method: 'POST',
      headers: [
        ['content-type', 'application/json'],
        ['authorization', `Bearer ${secret}`],
        ...contextHeaders(currentContext()),
      ],
      body: JSON.stringify(input),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return await response.json()
  } catch (cause) {
    throw unavailable(cause)
  }
}

function toHeaders(fields: [string, string][]) {
  const set = headers()
  for (const [name, value] of fields) set.set(name, value)
  return set
}
