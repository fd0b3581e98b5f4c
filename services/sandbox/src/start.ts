import { createServer, type Server } from 'node:http'
import { loadConfig } from '@herald/service/config'
import { createLogger } from '@herald/service/logger'
import { createApp } from './app.ts'
import { createClock } from './clock.ts'
import { SandboxEnv } from './config.ts'
import { createFaults } from './faults.ts'
import { openLedger } from './ledger.ts'
import { createRequests } from './requests.ts'
import { createStore } from './store.ts'

/** Starts the sandbox; `now` is the real time in milliseconds since 1970. */
export async function start(
  env: Record<string, string | undefined>,
  { now = Date.now }: { now?: () => number } = {},
): Promise<{ url: string; close: () => Promise<void> }> {
  const config = loadConfig(SandboxEnv, env)
  const logger = createLogger({ service: 'sandbox', level: config.LOG_LEVEL })
  const ledger = openLedger(config.SANDBOX_DATA_DIR)
  const store = createStore(ledger)
  const server = createServer()
  const port = await listen(server, config.PORT, config.HOST)
  const url = config.SANDBOX_URL?.replace(/\/+$/, '') ?? `http://${hostInUrl(config.HOST)}:${port}`
  const clock = createClock(store, now)
  const requests = createRequests(store)
  server.on('request', createApp({ url, store, clock, faults: createFaults(), requests, logger }))
  logger.info({ url }, 'The sandbox is ready.')
  return {
    url,
    async close() {
      await stop(server)
      ledger.close()
    },
  }
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

/** Calls that are never answered must not keep the server. */
function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
