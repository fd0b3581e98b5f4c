import { prepareDatabase } from '@herald/event-store/prepare-database'
import { createLogger } from '@herald/service/logger'

/** The services that own a database. */
const OWNERS = ['accounts', 'quota', 'channels', 'media', 'posts', 'publisher']

const logger = createLogger({ service: 'migrate', level: 'info' })
const { OWNER_DATABASE_URL = '', DATABASE_URL = '' } = process.env
process.exitCode = await main(process.argv[2] ?? '', OWNER_DATABASE_URL, DATABASE_URL)

/**
 * Prepares the database of one service: `node deploy/migrate/main.ts posts`, with its address for who owns it in
 * `OWNER_DATABASE_URL` and for the service in `DATABASE_URL`. Run again, it does nothing. Answers the exit code: 0 done,
 * 1 failed, 2 called in a wrong way.
 */
async function main(owner: string, ownerUrl: string, serviceUrl: string): Promise<number> {
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
    await prepareDatabase({ ownerUrl, serviceUrl, migrate })
    logger.info({ owner }, 'The database is up to date.')
    return 0
  } catch (error) {
    logger.error({ owner, error }, 'The database could not be brought up to date.')
    return 1
  }
}
