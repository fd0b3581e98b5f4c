import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { textsOfTests } from './test-titles.ts'

const ROW = /^\| (\d+) \| .* \| (.*) \|$/gm
const document = readFileSync(new URL('hostile-inputs.md', import.meta.url), 'utf8')
const rows = [...document.matchAll(ROW)].map(([, number, answer]) => ({
  number: Number(number),
  applies: !answer!.startsWith('does not apply: '),
}))

/** Numbers stand in front of a title: `77, 78: …`. */
function numbersOf(title: string): number[] {
  const [lead] = /^\d+(, \d+)*(?=: )/.exec(title) ?? ['']
  return lead.split(', ').map(Number)
}

test('every hostile input has its number, once', () => {
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index)
  expect(rows.map(({ number }) => number)).toEqual([...range(1, 147), ...range(238, 250)])
})

test('every hostile input is the start of a test title, or says why it is not', () => {
  const tested = new Set([...textsOfTests().values()].flat().flatMap(numbersOf))
  const missing = rows.filter(({ number, applies }) => applies && !tested.has(number))
  expect(missing.map(({ number }) => number)).toEqual([])
})
