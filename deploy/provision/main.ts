import { CONSUMERS } from '@herald/contracts/consumers'
import { connectBus } from '@herald/service/bus'
import { loadConfig } from '@herald/service/config'
import { createLogger } from '@herald/service/logger'
import { provision, ProvisionRefused } from '@herald/service/provision'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { consumerOf, readTeams } from '../nats/teams.ts'

const Env = z.object({
  /** NATS servers, with the user `provision` and its password. */
  NATS_URL: z.string().min(1),
  /** How many servers keep each message, 1, 3 or 5; what is there stays as it is unless given. */
  NATS_REPLICAS: z
    .enum(['', '1', '3', '5'])
    .default('')
    .transform((text) => (text === '' ? undefined : Number(text))),
  /** The other teams that read events, as in `deploy/nats/teams.example.json`. */
  NATS_TEAMS: z.string().default(''),
})
const WITHIN_MS = 60_000

const logger = createLogger({ service: 'provision', level: 'info' })
process.exitCode = await main()

/**
 * Makes the streams and consumers that Herald needs on NATS, or brings them up to date: `node deploy/provision/main.ts`.
 * Run again, it does nothing. Answers the exit code: 0 done, 1 failed or refused, 2 called in a wrong way.
 */
async function main(): Promise<number> {
  const settings = read()
  if (!settings) return 2
  const bus = connectBus({ natsUrl: settings.NATS_URL, name: 'provision', logger })
  const ended = new AbortController()
  try {
    await Promise.race([work(bus.connection(), settings), deadline(ended.signal)])
    logger.info('The streams and consumers are up to date.')
    return 0
  } catch (error) {
    if (error instanceof ProvisionRefused) logger.error(error.message)
    else logger.error({ error }, 'The streams and consumers could not be brought up to date.')
    return 1
  } finally {
    ended.abort()
    await bus.close()
  }
}

type Settings = z.output<typeof Env> & { teams: ReturnType<typeof readTeams> }

function read(): Settings | undefined {
  try {
    const env = loadConfig(Env, process.env)
    return { ...env, teams: readTeams(env.NATS_TEAMS) }
  } catch (error) {
    logger.error(error instanceof Error ? error.message : String(error))
    return undefined
  }
}

async function work(
  connecting: ReturnType<ReturnType<typeof connectBus>['connection']>,
  { NATS_REPLICAS: replicas, teams }: Settings,
): Promise<void> {
  await provision({
    connection: await connecting,
    consumers: [...Object.values(CONSUMERS), ...teams.map(consumerOf)],
    replicas,
    log: (line) => logger.info(line),
  })
}

async function deadline(signal: AbortSignal): Promise<never> {
  await sleep(WITHIN_MS, undefined, { signal })
  throw new Error(`It was not done within ${WITHIN_MS / 1e3} s.`)
}
