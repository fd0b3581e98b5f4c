import { AppError } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import { type Admission, type Limits, UNLIMITED } from '@herald/contracts/quota'
import { openDatabase } from '@herald/event-store/database'
import { testDatabase } from '@herald/testing/database'
import { quotaHandlers } from '../src/handlers.ts'
import { migrate } from '../src/migrate.ts'

export type World = Awaited<ReturnType<typeof quotaWorld>>
export type Key = { keyId: string; organizationId: string }

export const START = '2026-11-21T07:00:00.000Z'

/** The quota service's operations on a database of one test, whose clock stands until the test moves it. */
export async function quotaWorld({ connections = 10, replicas = 1 } = {}) {
  await using stack = new AsyncDisposableStack()
  const { url, ownerUrl } = stack.use(await testDatabase('quota', migrate))
  const plans = new Map<string, Limits>()
  const limitsOf = async (organizationId: string) => {
    const limits = plans.get(organizationId)
    if (!limits) throw new AppError('not_found', 'There is no such organization.')
    return limits
  }
  const services = Array.from({ length: replicas }, () => {
    const { pool, close } = openDatabase<Record<string, never>>({ url, name: 'test', connections })
    stack.defer(close)
    return { pool, handlers: quotaHandlers({ pool, limitsOf, reservationSeconds: 60 }) }
  })
  const [{ handlers, pool: service } = never()] = services
  const owner = openDatabase({ url: ownerUrl, name: 'test-owner' })
  stack.defer(owner.close)
  const { pool } = owner

  const setClock = async (at: string) => {
    await pool.query(
      `create or replace function quota_now() returns timestamptz language sql volatile
       return timestamptz '${new Date(at).toISOString()}'`,
    )
  }
  await setClock(START)

  const moved = stack.move()
  return {
    url,
    /** Sees the rows of all organizations, as no service does. */
    pool,
    /** What the first replica works with. */
    service,
    handlers,
    /** The handlers of each replica; the first are `handlers`. */
    replicas: services.map((service) => service.handlers),
    setClock,
    organization(limits: Partial<Limits> = {}): string {
      const id = newId('organization')
      plans.set(id, { ...NO_LIMITS, ...limits })
      return id
    },
    setPlan: (organizationId: string, limits: Partial<Limits>) =>
      void plans.set(organizationId, { ...NO_LIMITS, ...limits }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

const NO_LIMITS: Limits = {
  requestsPerMinute: UNLIMITED,
  requestsPerMonth: UNLIMITED,
  postsPerMonth: UNLIMITED,
}

function never(): never {
  throw new Error('A world has at least one replica.')
}

export function keyOf(organizationId: string): Key {
  return { keyId: newId('key'), organizationId }
}

/** Asks for requests of one key. */
export async function ask(handlers: World['handlers'], key: Key, count = 1): Promise<Admission> {
  const { admissions } = await handlers.admit({ requests: [{ ...key, count }] })
  if (!admissions[0]) throw new Error('The plan is not known.')
  return admissions[0]
}

/** How many of some calls were granted. */
export async function granted(calls: Promise<Admission>[]): Promise<number> {
  return (await Promise.all(calls)).reduce((sum, each) => sum + each.granted, 0)
}

/** This instant so many milliseconds later. */
export function later(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString()
}
