import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { Logger } from './logger.ts'

/** A service's connection to NATS. It outlives every outage; only `close` ends it. */
export type Bus = {
  /** The connection, as soon as NATS was reached for the first time. */
  connection: () => Promise<NatsConnection>
  isConnected: () => boolean
  /** Calls back each time the connection was lost and came back. Returns how to stop that. */
  onReconnect: (callback: () => void) => () => void
  close: () => Promise<void>
}

export type BusOptions = {
  /** NATS servers, comma-separated. */
  natsUrl: string
  name: string
  logger: Logger
}

const DRAIN_WITHIN_MS = 5_000

/**
 * Connects in the background and never gives up. The client's own defaults would give up after about 20 s and notice
 * a silent server after minutes; here it tries for ever and looks every 2 s.
 */
export function connectBus({ natsUrl, name, logger }: BusOptions): Bus {
  const listeners = new Set<() => void>()
  let isUp = false
  let isClosing = false
  const connecting = connect({
    servers: natsUrl.split(','),
    name,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 2_000,
    maxPingOut: 2,
    timeout: 5_000,
  })
  // A failure is seen by whoever asks for the connection.
  connecting.then(
    (connection) => {
      isUp = true
      void watch(connection)
    },
    (error: unknown) => logger.error({ error }, 'NATS cannot be connected to.'),
  )

  const watch = async (connection: NatsConnection) => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect' || status.type === 'staleConnection') isUp = false
      if (status.type === 'disconnect' && !isClosing)
        logger.warn('The connection to NATS was lost.')
      if (status.type === 'reconnect') {
        isUp = true
        logger.info('The connection to NATS is back.')
        for (const listener of listeners) listener()
      }
    }
    isUp = false
  }

  return {
    connection: () => connecting,
    isConnected: () => isUp,
    onReconnect: (callback) => {
      listeners.add(callback)
      return () => void listeners.delete(callback)
    },
    close: async () => {
      isClosing = true
      // A connection that was never made is closed when it comes.
      if (!isUp)
        return void connecting.then((connection) => connection.close()).catch(() => undefined)
      const connection = await connecting
      const timer = setTimeout(() => void connection.close(), DRAIN_WITHIN_MS)
      await connection.drain().catch(() => connection.close())
      clearTimeout(timer)
    },
  }
}
