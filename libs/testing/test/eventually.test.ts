import { expect, test } from 'vitest'
import { eventually } from '../src/eventually.ts'

test('it answers what the check answers once that stops failing', async () => {
  let tries = 0
  const answer = await eventually(
    () => {
      tries += 1
      if (tries < 4) throw new Error('not yet')
      return 'done'
    },
    { intervalMs: 1 },
  )
  expect({ answer, tries }).toEqual({ answer: 'done', tries: 4 })
})

test('it throws the last failure when the time is over', async () => {
  let tries = 0
  const failing = eventually(
    () => {
      tries += 1
      throw new Error(`try ${tries}`)
    },
    { timeoutMs: 20, intervalMs: 1 },
  )
  await expect(failing).rejects.toThrow(/^try \d+$/)
  await expect(failing).rejects.toThrow(`try ${tries}`)
})
