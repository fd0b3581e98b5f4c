import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { textsOfTests } from './test-titles.ts'

const ROW = /^\| (?!behaviour |---)(.+) \| (.+) \|$/gm
const PROOF = /^`([^`]+)` in `([^`]+)`$/
const OPEN = /^open: .+/

const document = readFileSync(new URL('specification-coverage.md', import.meta.url), 'utf8')
const rows = [...document.matchAll(ROW)].map(([, behaviour = '', proof = '']) => ({
  behaviour,
  proofs: proof.split('<br>'),
  isOpen: OPEN.test(proof),
}))

test('every behaviour of the specification has a proof that exists, or says that it is open', () => {
  const texts = textsOfTests()
  const wrong = rows
    .filter(({ isOpen }) => !isOpen)
    .flatMap(({ behaviour, proofs }) =>
      proofs
        .filter((proof) => {
          const [, title = '', file = ''] = PROOF.exec(proof) ?? []
          return !texts.get(file)?.includes(title)
        })
        .map((proof) => `${behaviour}: ${proof}`),
    )
  expect(wrong).toEqual([])
})

test(`of ${rows.length} behaviours ${rows.filter(({ isOpen }) => isOpen).length} are open`, () => {
  const sections = [...document.matchAll(/^## (.+)$/gm)].map(([, name]) => name)
  expect(sections).toEqual([
    'What the service does',
    'Resources',
    'Post status',
    'Media status',
    'Endpoints',
    'Authentication',
    'Errors',
    'Limits',
    'Versioning',
  ])
  expect(new Set(rows.map(({ behaviour }) => behaviour)).size).toBe(rows.length)
})
