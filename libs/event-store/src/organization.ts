import pg from 'pg'

/**
 * The second wall of tenancy. Every table with an `organization_id` shows a service only the rows of the organization
 * that the setting names, for the length of one transaction; see `wall.ts`. So there are two doors to those tables:
 * statements for one organization, and statements that say that they are for all.
 */
const ORGANIZATION = 'herald.organization'

/** The role that sees the rows of all organizations. A service's own role must enter it, for one transaction. */
export const ACROSS_ORGANIZATIONS = 'herald_across'

/** The role that services connect as, or that theirs is a member of. */
export const SERVICE_ROLE = 'herald_service'

/** Where statements are sent: a door, a pool, or a client that is in a transaction. */
export type Queryable = {
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    statement: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>
}

/** Statements that see and write the rows of one organization only, whatever their text says or forgets. */
export function forOrganization(pool: pg.Pool, organizationId: string): Queryable {
  return door(pool, ORGANIZATION, organizationId)
}

/** Statements that are meant for all organizations: those of the scheduler, of sweeps, of operators. */
export function acrossOrganizations(pool: pg.Pool): Queryable {
  return door(pool, 'role', ACROSS_ORGANIZATIONS)
}

/** From here to its end, a transaction sees and writes the rows of one organization only. */
export async function enterOrganization(
  client: pg.PoolClient,
  organizationId: string,
): Promise<void> {
  await client.query({ ...ENTER, values: [ORGANIZATION, organizationId] })
}

/** From here to its end, a transaction sees and writes the rows of all organizations. */
export async function enterAllOrganizations(client: pg.PoolClient): Promise<void> {
  await client.query({ ...ENTER, values: ['role', ACROSS_ORGANIZATIONS] })
}

/** Makes a new connection ready for the doors. */
export async function prepareDoors(client: pg.ClientBase): Promise<void> {
  await client.query({ ...ENTER, values: [ORGANIZATION, ''] })
}

/** Gives a setting a value until the transaction ends, and no rows. */
const ENTER = {
  name: 'enter',
  text: 'select 1 where set_config($1, $2, true) is null',
}

function door(pool: pg.Pool, setting: string, value: string): Queryable {
  return {
    async query(statement, values) {
      const query = entering(setting, value, statement, values)
      // The driver's types leave out that a pool answers with a promise also here, and with a result for each statement.
      const results = (await (pool.query(query) as unknown)) as pg.QueryResult<never>[]
      const last = results.at(-1)
      if (!last) throw new Error('A statement has a result.')
      return last
    },
  }
}

/** What the driver sends messages to Postgres with; its own types have parameters that are not there. */
type Connection = {
  stream: { cork: () => void; uncork: () => void; destroy: () => void }
  bind: (message: { statement: string; values: string[] }) => void
  execute: (message: object) => void
}

/**
 * A query that enters first, in the same round trip: Postgres runs all that comes before one `Sync` message as one
 * transaction. Measured, it takes 2% from a read by its key; `begin`, `set_config`, the query and `commit` one after
 * the other take more than half.
 */
function entering(
  setting: string,
  value: string,
  statement: string | pg.QueryConfig,
  values: unknown[] | undefined,
): pg.Query {
  const config = typeof statement === 'string' ? { text: statement } : statement
  // The other mode of the driver would be a message that is a transaction of its own.
  const extended = { ...config, ...(values && { values }), queryMode: 'extended' }
  const query = new pg.Query(extended)
  const submit = query.submit.bind(query) as unknown as (connection: Connection) => Error | null
  const enterAndSubmit = (connection: Connection) => {
    const { stream } = connection
    stream.cork()
    try {
      connection.bind({ statement: ENTER.name, values: [setting, value] })
      connection.execute({})
      const refusal = submit(connection)
      // Nothing closed the transaction that was entered, so nobody may use the connection again.
      if (refusal) stream.destroy()
      return refusal
    } finally {
      stream.uncork()
    }
  }
  return Object.assign(query, { submit: enterAndSubmit as unknown as typeof query.submit })
}
