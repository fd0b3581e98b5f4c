import { setImmediate as turn } from 'node:timers/promises'
import { AppError } from '@herald/contracts/errors'
import { loadEvents } from '@herald/event-store/handle'
import { expect, test } from 'vitest'
import { claimDuePosts } from '../src/claim-due-posts.ts'
import { createDue, postsWorld, refusalOf, type World } from './world.ts'

const RUNS = 200
const MOST_TURNS = 10

/** Claims until nothing is due, also what was being changed at the first look. */
async function claimAll({ pool }: World): Promise<void> {
  for (;;) {
    await claimDuePosts(pool, 10)
    const { rowCount } = await pool.query('select from due where publish_at <= now()')
    if (rowCount === 0) return
  }
}

/**
 * Lets a change meet a claim, one of them some turns of the event loop later than the other; in the first and the
 * last run one has ended before the other begins. Answers whether the change was accepted; else it was a conflict.
 */
async function race(
  run: number,
  claim: () => Promise<void>,
  change: () => Promise<unknown>,
): Promise<boolean> {
  if (run === 0) await claim()
  const outcome = change().then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'conflict') return false
      throw error
    },
  )
  if (run === RUNS - 1) await outcome
  for (let turns = run % MOST_TURNS; turns > 0; turns--) await turn()
  const [accepted] = await Promise.all([outcome, claim()])
  return accepted
}

async function historyOf({ pool, own }: World, postId: string): Promise<string[]> {
  const events = await loadEvents(pool, postId, own.id)
  expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1))
  return events.map(({ type }) => type)
}

test('139: of a change and the start of publishing one comes first: the new text goes out, or it is a conflict', async () => {
  await using world = await postsWorld()
  const outcomes = new Set<boolean>()
  for (let run = 0; run < RUNS; run++) {
    const { id: postId } = await createDue(world, { content: `old ${run}` })
    const accepted = await race(
      run,
      () => claimAll(world),
      () =>
        world.handlers.edit({
          caller: world.caller(),
          postId,
          body: { content: `new ${run}` },
        }),
    )
    outcomes.add(accepted)
    const post = await world.handlers.getForPublishing({ organizationId: world.own.id, postId })
    expect(post.status).toBe('publishing')
    expect(post.channels[0]?.content).toBe(accepted ? `new ${run}` : `old ${run}`)
    expect(await historyOf(world, postId)).toEqual([
      'PostScheduled',
      ...(accepted ? ['PostEdited'] : []),
      'PublishStarted',
    ])
  }
  expect(outcomes).toEqual(new Set([true, false]))
  expect(await world.handlers.checkProjections({})).toEqual({ streams: RUNS, mismatches: [] })
})

test('145: of a cancellation and the start of publishing only one takes place', async () => {
  await using world = await postsWorld()
  const outcomes = new Set<boolean>()
  for (let run = 0; run < RUNS; run++) {
    const { id: postId } = await createDue(world, { content: `text ${run}` })
    const accepted = await race(
      run,
      () => claimAll(world),
      () => world.handlers.remove({ caller: world.caller(), postId }),
    )
    outcomes.add(accepted)
    expect(await historyOf(world, postId)).toEqual([
      'PostScheduled',
      accepted ? 'PostCancelled' : 'PublishStarted',
    ])
    const read = world.handlers.get({ caller: world.caller(), postId })
    if (accepted) expect((await refusalOf(read)).status).toBe(404)
    else expect((await read).status).toBe('publishing')
  }
  expect(outcomes).toEqual(new Set([true, false]))
  expect(await world.handlers.checkProjections({})).toEqual({ streams: RUNS, mismatches: [] })
})
