import {
  AuthorizationError,
  connect,
  InvalidArgumentError,
  type NatsConnection,
} from '@nats-io/transport-node'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from './logger.ts'
import { observeDependency } from './metrics.ts'
import { readNatsUrl } from './nats-address.ts'
import { inboxPrefix } from '@herald/contracts/rpc'

/** A service's connection to NATS. It outlives every outage; only `close` ends it. */
export type Bus = {
  /** Whether streams and consumers that are missing are made over this connection; its user must be allowed to. */
  provisions: boolean
  /** The connection, as soon as NATS was reached for the first time. Rejects when the bus is closed before. */
  connection: () => Promise<NatsConnection>
  /** Whether NATS is there as far as is known: a server that falls silent is found out within 6 s. */
  isConnected: () => boolean
  /** Calls back each time the connection was lost. Returns how to stop that. */
  onDisconnect: (callback: () => void) => () => void
  /** Calls back each time the connection was lost and came back. Returns how to stop that. */
  onReconnect: (callback: () => void) => () => void
  /**
   * Resolves when the connection is over for good: with nothing after `close`, else with the reason, such as
   * credentials that NATS refuses. A process cannot go on then.
   */
  closed: Promise<Error | undefined>
  /** Sends what is on its way, within 5 s, and closes. */
  close: () => Promise<void>
}

export type BusOptions = {
  /** NATS servers, comma-separated, with the credentials that they ask for. */
  natsUrl: string
  /** Shown in the server's list of connections; answers come to `_INBOX_<name>.>`, where nobody else may listen. */
  name: string
  /** Whether streams and consumers that are missing are made; they are unless said otherwise. */
  provision?: boolean
  logger: Logger
}

const RETRY_MS = 250
const DRAIN_WITHIN_MS = 5_000

/**
 * Connects in the background and never gives up. The client's own defaults would give up after about 20 s and notice
 * a silent server after minutes; here it tries for ever and looks every 2 s. Users of the bus must look at
 * `isConnected` before they send: what is sent during an outage is lost.
 */
export function connectBus(options: BusOptions): Bus {
  const { logger } = options
  const closing = new AbortController()
  const disconnected = new Set<() => void>()
  const reconnected = new Set<() => void>()
  let isUp = false

  const lose = () => {
    if (!isUp) return
    isUp = false
    if (!closing.signal.aborted) logger.warn('The connection to NATS was lost.')
    for (const callback of disconnected) callback()
  }
  const regain = () => {
    isUp = true
    logger.info('The connection to NATS is back.')
    for (const callback of reconnected) callback()
  }
  const watch = async (connection: NatsConnection): Promise<Error | undefined> => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect' || type === 'staleConnection' || type === 'close') lose()
      if (type === 'reconnect') regain()
    }
    lose()
    const error = await connection.closed()
    if (closing.signal.aborted) return undefined
    return error instanceof Error ? error : new Error('The connection to NATS has ended.')
  }

  const stopMeasuring = observeDependency('nats', () => isUp)
  const connecting = connectUntil(closing.signal, options).then((connection) => {
    isUp = true
    return connection
  })
  const closed = connecting
    .then(watch, (error: Error) => (closing.signal.aborted ? undefined : error))
    .then((error) => {
      if (error) logger.fatal({ error }, 'The connection to NATS has ended for good.')
      return error
    })

  return {
    provisions: options.provision ?? true,
    connection: () => connecting,
    isConnected: () => isUp,
    onDisconnect: (callback) => listen(disconnected, callback),
    onReconnect: (callback) => listen(reconnected, callback),
    closed,
    close: async () => {
      closing.abort()
      stopMeasuring()
      await connecting.then(
        (connection) => (isUp ? drain(connection) : connection.close()),
        () => undefined,
      )
    },
  }
}

function listen(callbacks: Set<() => void>, callback: () => void): () => void {
  callbacks.add(callback)
  return () => void callbacks.delete(callback)
}

/** The client can wait for the first connection itself, but not be told to stop waiting. */
async function connectUntil(
  signal: AbortSignal,
  { natsUrl, name, logger }: BusOptions,
): Promise<NatsConnection> {
  for (let failures = 0; ; failures++) {
    signal.throwIfAborted()
    try {
      const connection = await connect({
        ...readNatsUrl(natsUrl),
        name,
        inboxPrefix: inboxPrefix(name),
        maxReconnectAttempts: -1,
        reconnectTimeWait: RETRY_MS,
        reconnectJitter: RETRY_MS,
        pingInterval: 2_000,
        maxPingOut: 2,
        timeout: 5_000,
        // Each call would capture two stacks of the caller, on the path of every request.
        noAsyncTraces: true,
      })
      if (!signal.aborted) return connection
      await connection.close()
    } catch (error) {
      if (error instanceof AuthorizationError || error instanceof InvalidArgumentError) throw error
      if (failures === 0) logger.warn({ error }, 'NATS cannot be reached yet.')
    }
    await sleep(RETRY_MS, undefined, { signal })
  }
}

/** A server that does not answer keeps the client from ending, so the deadline ends without it. */
async function drain(connection: NatsConnection): Promise<void> {
  const late = new AbortController()
  const ended = connection.drain().catch(() => connection.close())
  await Promise.race([
    ended,
    connection.closed(),
    sleep(DRAIN_WITHIN_MS, undefined, { signal: late.signal }).catch(() => undefined),
  ])
  late.abort()
  if (!connection.isClosed()) void connection.close().catch(() => undefined)
}
