import { AppError, unavailable } from '@herald/contracts/errors'
import { sqlState } from './errors.ts'

/** Postgres is going down, starting, full of connections, out of a resource, or gave up waiting for a lock. */
const PASSING_STATES = /^(08|53|57P|57014|55P03|25P03|40001|40P01)/
/** What the driver says when there is no connection or it breaks. */
const BROKEN =
  /ECONN|EPIPE|ETIMEDOUT|Connection terminated|connection timeout|timeout exceeded|Query read timeout|not queryable/i

/** Whether an error says that the database cannot be worked with right now, rather than that a statement is wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    PASSING_STATES.test(sqlState(error) ?? '') || BROKEN.test(`${sqlState(error)} ${error.message}`)
  )
}

type Handlers = Record<string, (input: never) => Promise<unknown>>

/** The same handlers, which answer 503 instead of 500 while the database is away. */
export function whileDatabaseIsAway<H extends Handlers>(handlers: H): H {
  const guarded = Object.entries(handlers).map(([name, handler]) => [
    name,
    async (input: never) => {
      try {
        return await handler(input)
      } catch (error) {
        throw !(error instanceof AppError) && isDatabaseAway(error) ? unavailable(error) : error
      }
    },
  ])
  return Object.fromEntries(guarded) as H
}
