import { expect, test } from 'vitest'
import { claimDuePosts } from '../src/claim-due-posts.ts'
import { createDue, inSeconds, postsWorld } from './world.ts'

test(
  'a rebuild while posts are created, edited and started ends without a difference, and stops none of them',
  { timeout: 240_000 },
  async () => {
    await using world = await postsWorld(20)
    const caller = world.caller()
    let count = 0
    const content = () => `Post ${(count += 1)}`
    const create = () => world.create({ content: content(), publishAt: inSeconds(600) })
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 10 }, create))
    const state = { isLoading: true, writes: 0 }
    const load = [create, createAndEdit, createAndStart].map(async (write) => {
      while (state.isLoading) {
        await write()
        state.writes += 1
      }
    })
    async function createAndEdit() {
      const { id } = await create()
      await world.handlers.edit({ caller, postId: id, body: { content: content() } })
    }
    async function createAndStart() {
      await createDue(world, { content: content() })
      await claimDuePosts(world.database.pool, 10)
    }
    const before = state.writes
    for (let round = 0; round < 5; round++)
      expect((await world.handlers.rebuildProjections({})).streams).toBeGreaterThanOrEqual(200)
    expect(state.writes).toBeGreaterThan(before)
    state.isLoading = false
    await Promise.all(load)
    const { streams, mismatches } = await world.handlers.checkProjections({})
    expect(mismatches).toEqual([])
    expect(streams).toBe(count - (await editsIn(world)))
  },
)

async function editsIn({ pool }: Awaited<ReturnType<typeof postsWorld>>): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from events where type = 'PostEdited'`,
  )
  return rows[0]?.count ?? 0
}
