import { describe, expect, test } from 'vitest'
import { inBatches } from '../src/batches.ts'

/** Work that waits until the test lets it go on, and what it was given. */
function heldWork() {
  const batches: { items: number[]; end: (failure?: Error) => void }[] = []
  const work = async (items: number[]): Promise<number[]> => {
    const held = Promise.withResolvers<void>()
    const end = (failure?: Error) => (failure ? held.reject(failure) : held.resolve())
    batches.push({ items, end })
    await held.promise
    return items.map((item) => item * 10)
  }
  return { batches, add: inBatches(work, 3) }
}

describe('items', () => {
  test('that come together, and those that come during the work, share a batch of limited size', async () => {
    const { batches, add } = heldWork()
    const first = [1, 2].map(add)
    await expect.poll(() => batches.length).toBe(1)
    const later = [3, 4, 5, 6].map(add)
    expect(batches[0]!.items).toEqual([1, 2])
    batches[0]!.end()
    expect(await Promise.all(first)).toEqual([10, 20])
    await expect.poll(() => batches[1]?.items).toEqual([3, 4, 5])
    batches[1]!.end()
    await expect.poll(() => batches[2]?.items).toEqual([6])
    batches[2]!.end()
    expect(await Promise.all(later)).toEqual([30, 40, 50, 60])
  })

  test('fail with their batch, and with no other', async () => {
    const { batches, add } = heldWork()
    const failing = [1, 2].map(add)
    await expect.poll(() => batches.length).toBe(1)
    const next = add(3)
    batches[0]!.end(new Error('no'))
    for (const one of failing) await expect(one).rejects.toThrow('no')
    await expect.poll(() => batches.length).toBe(2)
    batches[1]!.end()
    expect(await next).toBe(30)
    const last = add(4)
    await expect.poll(() => batches.length).toBe(3)
    batches[2]!.end()
    expect(await last).toBe(40)
  })
})
