import { newId } from '@herald/contracts/ids'
import { expect, test } from 'vitest'
import { png } from './pictures.ts'
import { mediaWorld, uploaded } from './world.ts'

test('a search finds the files of the organization that asks, and no others', async () => {
  await using world = await mediaWorld()
  const others = world.caller(newId('organization'))
  const mine = await uploaded(world, png(), { fileName: 'summer.png' })
  const theirs = await uploaded(world, png(), { fileName: 'summer.png' }, others)
  const search = async (caller: typeof others) => {
    const { data } = await world.handlers.list({ caller, limit: 100, q: 'summer' })
    return data.map(({ id }) => id)
  }
  expect(await search(world.caller())).toEqual([mine.id])
  expect(await search(others)).toEqual([theirs.id])
})
