import { accounts } from '@herald/contracts/accounts'
import { channels } from '@herald/contracts/channels'
import { eventSubject } from '@herald/contracts/events'
import { media } from '@herald/contracts/media'
import { posts } from '@herald/contracts/posts'
import { quota } from '@herald/contracts/quota'
import { connectBus } from '@herald/service/bus'
import { loadConfig } from '@herald/service/config'
import { drainFor } from '@herald/service/drain'
import { createLogger } from '@herald/service/logger'
import { overhear } from '@herald/service/overhear'
import { rpcClient } from '@herald/service/rpc-client'
import { createApp } from './app.ts'
import { authentication } from './authenticate.ts'
import { GatewayEnv } from './config.ts'
import { measureLag } from './event-loop-lag.ts'
import { listen } from './http-server.ts'
import { readiness } from './readiness.ts'

const NAME = 'gateway'

/** Starts the public API. It starts and serves whether NATS is there or not. */
export async function start(env: Record<string, string | undefined>) {
  const config = loadConfig(GatewayEnv, env)
  const logger = createLogger({ service: NAME, level: config.LOG_LEVEL })
  const bus = connectBus({ natsUrl: config.NATS_URL, name: NAME, logger })
  const { RPC_SECRET: secret, RPC_DIRECT: direct } = config
  const road = (service: string) => ({ bus, direct: direct.get(service), secret, logger })
  const { authenticate, evict, clear } = authentication({
    accounts: rpcClient(accounts, road('accounts')),
  })
  overhear({
    bus,
    logger,
    subject: eventSubject('key', '*', 'revoked'),
    onEvent: ({ subject }) => evict(subject),
    onGap: clear,
  })
  const lag = measureLag()
  const state = { isClosing: false }
  const app = createApp({
    authenticate,
    logger,
    channels: rpcClient(channels, road('channels')),
    media: rpcClient(media, road('media')),
    posts: rpcClient(posts, road('posts')),
    quota: rpcClient(quota, road('quota')),
    trustedProxies: config.TRUSTED_PROXIES,
    isOverloaded: () => config.MAX_LAG_MS > 0 && lag.lagMs() > config.MAX_LAG_MS,
    isReady: readiness({
      isClosing: () => state.isClosing,
      isConnected: bus.isConnected,
      roads: [accounts, channels, media, posts, quota].map(({ service }) => direct.get(service)),
    }),
  })
  const server = await listen(app, {
    host: config.HOST,
    port: config.PORT,
    keepAliveTimeoutMs: config.KEEP_ALIVE_TIMEOUT_MS,
    maxRequestsPerSocket: config.MAX_REQUESTS_PER_SOCKET,
    maxConnections: config.MAX_CONNECTIONS,
  }).catch(async (error: unknown) => {
    lag.stop()
    await bus.close()
    throw error
  })
  return {
    url: server.url,
    close: async () => {
      state.isClosing = true
      server.drain()
      await drainFor(config.DRAIN_SECONDS)
      await server.close()
      lag.stop()
      await bus.close()
    },
  }
}
