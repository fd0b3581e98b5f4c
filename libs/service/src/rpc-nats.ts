import {
  ClosedConnectionError,
  DrainingConnectionError,
  headers,
  InvalidArgumentError,
  type Msg,
  type MsgHdrs,
  NoRespondersError,
  RequestError,
} from '@nats-io/transport-node'
import { rpcSubject } from '@herald/contracts/rpc'
import type { Bus } from './bus.ts'
import { currentContext } from './context.ts'
import { type CallOptions, LostCall } from './lost-call.ts'
import { contextHeaders, parseReply, type Reply } from './rpc-wire.ts'

/**
 * Makes a call over NATS; throws `LostCall` when no answer comes. It speaks the wire format of Nest's NATS transport
 * on the service's own connection: Nest's client would open another one and subscribe anew for each call.
 */
export async function callOverNats(options: CallOptions, bus: Bus): Promise<Reply> {
  const { service, name, input } = options
  const subject = rpcSubject(service, name)
  // Nest answers what has an id; replies find their call by their subject, so the id need not differ.
  const body = JSON.stringify({ pattern: subject, data: input, id: '1' })
  const message = await request(subject, body, options.timeoutMs, bus)
  try {
    return parseReply(message.json<{ response?: unknown }>().response)
  } catch (cause) {
    throw new LostCall('The answer cannot be read.', { isUnsent: false, cause })
  }
}

/** A request that ends as soon as the connection breaks: the answer would come to a subject that is gone. */
async function request(subject: string, body: string, timeout: number, bus: Bus): Promise<Msg> {
  const connection = await bus.connection()
  if (!bus.isConnected()) throw new LostCall('NATS is away.', { isUnsent: true })
  const carried = contextHeaders(currentContext())
  return new Promise((resolve, reject) => {
    const stopListening = bus.onDisconnect(() =>
      reject(new LostCall('The connection broke during the call.', { isUnsent: false })),
    )
    connection
      .request(subject, body, {
        timeout,
        ...(carried.length > 0 && { headers: toHeaders(carried) }),
      })
      .then(resolve, (cause: unknown) =>
        reject(new LostCall('The call got no answer.', { isUnsent: isUnsent(cause), cause })),
      )
      .finally(stopListening)
  })
}

/** No service listens there, or the client refused to send. */
function isUnsent(error: unknown): boolean {
  return (
    error instanceof NoRespondersError ||
    (error instanceof RequestError && error.isNoResponders()) ||
    error instanceof InvalidArgumentError ||
    error instanceof ClosedConnectionError ||
    error instanceof DrainingConnectionError
  )
}

function toHeaders(fields: [string, string][]): MsgHdrs {
  const set = headers()
  for (const [name, value] of fields) set.set(name, value)
  return set
}
