import type { Pool, PoolClient } from '@herald/event-store/database'

/** Runs statements on one connection in a transaction, which is taken back when the work throws. */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let isBroken = false
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => (isBroken = true))
    throw error
  } finally {
    // What the transaction entered would stay with a connection on which it never ended.
    client.release(isBroken)
  }
}
