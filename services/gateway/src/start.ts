import { accounts } from '@herald/contracts/accounts'
import { channels } from '@herald/contracts/channels'
import { CloudEvent, eventSubject } from '@herald/contracts/events'
import { posts } from '@herald/contracts/posts'
import { type Bus, connectBus } from '@herald/service/bus'
import { loadConfig } from '@herald/service/config'
import { createLogger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { createApp } from './app.ts'
import { GatewayEnv } from './config.ts'
import { type KeyCache, keyCache } from './key-cache.ts'
import { listen } from './server.ts'

const NAME = 'gateway'

/** Starts the gateway: the HTTP API. It is stateless and serves whether NATS is there or not. */
export async function start(env: Record<string, string | undefined>) {
  const config = loadConfig(GatewayEnv, env)
  const logger = createLogger({ service: NAME, level: config.LOG_LEVEL })
  const bus = connectBus({ natsUrl: config.NATS_URL, name: NAME, logger })
  const { RPC_SECRET: secret, RPC_DIRECT: direct } = config
  const reach = (service: string) => ({ bus, direct: direct.get(service), secret, logger })
  const keys = keyCache(rpcClient(accounts, reach('accounts')).verifyKey)
  evictRevokedKeys(bus, keys)
  const app = createApp({
    ...{ keys, logger },
    services: {
      channels: rpcClient(channels, reach('channels')),
      posts: rpcClient(posts, reach('posts')),
    },
    isReady: () => bus.isConnected() || direct.size > 0,
  })
  const server = await listen(app, {
    ...{ host: config.HOST, port: config.PORT, keepAliveSeconds: config.KEEP_ALIVE_SECONDS },
  })
  return {
    url: server.url,
    close: async () => {
      await server.close()
      await bus.close()
    },
  }
}

/** A revoked key is forgotten as soon as NATS brings the word; without it, within the 5 seconds of the cache. */
function evictRevokedKeys(bus: Bus, keys: KeyCache): void {
  const subscribe = async () => {
    const connection = await bus.connection()
    for await (const message of connection.subscribe(eventSubject('key', '*', 'revoked'))) {
      const event = CloudEvent.safeParse(message.json())
      if (event.success) keys.evict(event.data.subject)
    }
  }
  // The cache's own time limit covers for a subscription that ends.
  subscribe().catch(() => undefined)
}
