import { accounts } from '@herald/contracts/accounts'
import { channels } from '@herald/contracts/channels'
import { connectBus } from '@herald/service/bus'
import { loadConfig } from '@herald/service/config'
import { createLogger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { z } from 'zod'
import { keepDemo } from './demo-organization.ts'

// Makes the demo organization in a Herald that runs in processes of its own, beside a sandbox, and prints its key.
const Env = z.object({
  NATS_URL: z.string().min(1),
  SANDBOX_URL: z.url({ protocol: /^https?$/ }),
  /** Where `demo.json` is kept. */
  HERALD_DATA_DIR: z.string().min(1),
})

const { NATS_URL: natsUrl, SANDBOX_URL, HERALD_DATA_DIR } = loadConfig(Env, process.env)
const logger = createLogger({ service: 'demo', level: 'silent' })
const bus = connectBus({ natsUrl, name: 'herald', logger })
try {
  await bus.connection()
  // All calls go over NATS, so there is no use for the secret of the direct road.
  const options = { bus, secret: '', logger }
  const demo = await keepDemo(HERALD_DATA_DIR, SANDBOX_URL, {
    accounts: rpcClient(accounts, options),
    channels: rpcClient(channels, options),
  })
  process.stdout.write(`${demo.apiKey}\n`)
} finally {
  await bus.close()
}
