import { createLogger } from '@herald/service/logger'

/** The services that own a database. */
const OWNERS = ['accounts', 'quota', 'channels', 'media', 'posts', 'publisher']

const logger = createLogger({ service: 'migrate', level: 'info' })
process.exitCode = await main(process.argv[2] ?? '', process.env['DATABASE_URL'] ?? '')

/**
 * Brings the database of one service up to date: `node deploy/migrate/main.ts posts`, with its address in
 * `DATABASE_URL`. Run again, it does nothing. Answers the exit code: 0 done, 1 failed, 2 called in a wrong way.
 */
async function main(owner: string, databaseUrl: string): Promise<number> {
  if (!OWNERS.includes(owner) || databaseUrl === '') {
    logger.error(
      `Give one of ${OWNERS.join(', ')}, and the address of its database in DATABASE_URL.`,
    )
    return 2
  }
  try {
    // Services export nothing, so they are loaded by their place in the tree.
    const place = new URL(`../../services/${owner}/src/migrate.ts`, import.meta.url)
    const { migrate } = (await import(place.href)) as { migrate: (url: string) => Promise<void> }
    await migrate(databaseUrl)
    logger.info({ owner }, 'The database is up to date.')
    return 0
  } catch (error) {
    logger.error({ owner, error }, 'The database could not be brought up to date.')
    return 1
  }
}
