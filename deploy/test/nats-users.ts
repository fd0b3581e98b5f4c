import { readFileSync } from 'node:fs'
import { CONSUMERS } from '@herald/contracts/consumers'
import { connectBus } from '@herald/service/bus'
import { createLogger } from '@herald/service/logger'
import { provision } from '@herald/service/provision'
import { accountsConfig, passwordVariables } from '../nats/accounts.ts'
import { consumerOf, readTeams } from '../nats/teams.ts'
import type { NatsUsers } from '../../libs/local/test/world.ts'

/** The teams of the example. */
export const TEAMS = readTeams(
  readFileSync(new URL('../nats/teams.example.json', import.meta.url), 'utf8'),
)
const logger = createLogger({ service: 'test', level: 'silent' })

/** The server's settings with the team of the example; the password of `posts` is `of-posts`, unless said otherwise. */
export function settingsWith(
  second: readonly string[] = [],
  passwords: Record<string, string> = {},
): string {
  const options = { teams: TEAMS, second }
  const variables = [...passwordVariables(options)].map(
    ([user, variable]) => `${variable}: "${passwords[user] ?? `of-${user}`}"`,
  )
  return [...variables, accountsConfig(options)].join('\n')
}

/** The users of a Herald in production. */
export const PRODUCTION: NatsUsers = {
  settings: settingsWith(),
  urlFor: (natsUrl, user) => natsUrl.replace('nats://', `nats://${user}:of-${user}@`),
  async provision(natsUrl) {
    const url = PRODUCTION.urlFor(natsUrl, 'provision')
    const bus = connectBus({ natsUrl: url, name: 'provision', logger })
    try {
      const connection = await bus.connection()
      const consumers = [...Object.values(CONSUMERS), ...TEAMS.map(consumerOf)]
      await provision({ connection, consumers, log: () => {} })
    } finally {
      await bus.close()
    }
  },
}
