import { prepareDatabase } from '@herald/event-store/prepare-database'
import { createLogger } from '@herald/service/logger'

/** The services that own a database. */
const OWNERS = ['accounts', 'quota', 'channels', 'media', 'posts', 'publisher']

const logger = createLogger({ service: 'migrate', level: 'info' })
const { OWNER_DATABASE_URL = '', DATABASE_URL = '', SERVICE_CONNECTIONS = '60' } = process.env
process.exitCode = await main(process.argv[2] ?? '', OWNER_DATABASE_URL, DATABASE_URL)

/**
 * Prepares the database of one service: `node deploy/migrate/main.ts posts`, with its address for who owns it in
 * `OWNER_DATABASE_URL` and for the service in `DATABASE_URL`, whose user it makes when that is called `herald_posts` or
 * the like, with at most `SERVICE_CONNECTIONS` connections. Run again, it does nothing. Answers the exit code: 0 done,
 * 1 failed, 2 called in a wrong way.
 */
async function main(owner: string, ownerUrl: string, serviceUrl: string): Promise<number> {
  const connections = Number(SERVICE_CONNECTIONS)
  if (!Number.isInteger(connections) || connections < 1) {
    logger.error('SERVICE_CONNECTIONS must be a number of connections.')
    return 2
  }
  if (!OWNERS.includes(owner) || !URL.canParse(ownerUrl) || !URL.canParse(serviceUrl)) {
    logger.error(
      `Give one of ${OWNERS.join(', ')}, and the address of its database in OWNER_DATABASE_URL for who owns it ` +
        'and in DATABASE_URL for the service.',
    )
    return 2
  }
  try {
    // Services export nothing, so they are loaded by their place in the tree.
    const place = new URL(`../../services/${owner}/src/migrate.ts`, import.meta.url)
    const { migrate } = (await import(place.href)) as { migrate: (url: string) => Promise<void> }
    await prepareDatabase({ ownerUrl, serviceUrl, connections, migrate })
    logger.info({ owner }, 'The database is up to date.')
    return 0
  } catch (error) {
    logger.error({ owner, error }, 'The database could not be brought up to date.')
    return 1
  }
}
