import { expect } from 'vitest'
import type { Attempt } from '../src/attempt.ts'
import { beginCall, markUnknown } from '../src/attempts.ts'
import { comeDue, held, LEASE_SECONDS, take, type World } from './world.ts'

/** Begins the call of an attempt; answers when, or nothing when there must be none. */
export const call = ({ pool }: World, attempt: Attempt) => beginCall(pool, attempt, LEASE_SECONDS)

/** An attempt whose call has been begun. */
export async function calling(world: World): Promise<Attempt> {
  const attempt = await held(world)
  expect(await call(world, attempt)).toBeDefined()
  return attempt
}

/** An attempt of unknown outcome, taken to be looked up. */
export async function unknown(world: World): Promise<Attempt> {
  await markUnknown(world.pool, await calling(world), 0)
  await comeDue(world)
  return take(world, 'unknown')
}
