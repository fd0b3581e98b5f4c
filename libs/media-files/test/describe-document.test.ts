import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { describe, expect, test } from 'vitest'
import { MAX_DESCRIPTION } from '../src/describe/clean-text.ts'
import { describeFile } from '../src/describe/describe-file.ts'
import type { FileFacts } from '../src/inspection.ts'
import { pdfOf, STEP_MS, zipOf } from './describe-files.ts'

const PDF = 'application/pdf'
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'

describe('a PDF file', () => {
  test('is described by its pages and first words', async () => {
    const file = pdfOf('Annual report 2026', 'Sales rose by a third.', 'Never read.')
    expect(await described(file, PDF, 3)).toBe(
      'PDF document with 3 pages. It begins: “Annual report 2026 Sales rose by a third.”',
    )
  })

  test('without text is described by its pages', async () => {
    expect(await described(pdfOf(''), PDF, 1)).toBe('PDF document with 1 page.')
  })

  test('with much text has its beginning in its description', async () => {
    const description = await described(pdfOf('many words\n'.repeat(600)), PDF, 1)
    expect(description).toMatch(/It begins: “many words .*…”$/)
    expect(description?.length).toBeLessThanOrEqual(MAX_DESCRIPTION)
  })

  test.each<[string, Buffer]>([
    ['is empty', Buffer.alloc(0)],
    ['is something else', Buffer.from('hello')],
    ['is cut off', pdfOf('hello').subarray(0, 200)],
    ['is too large to be read', Buffer.concat([pdfOf('hello'), Buffer.alloc(31 * 1024 * 1024)])],
  ])('that %s is described without its words', async (_, file) => {
    expect(await described(file, PDF, 2)).toBe('PDF document with 2 pages.')
  })
})

describe('a Word or PowerPoint file', () => {
  const words =
    '<w:document><w:p><w:r><w:t xml:space="preserve">Dear </w:t></w:r><w:r><w:t>all,</w:t></w:r></w:p><w:p><w:r><w:t>R&amp;D &lt;news&gt;</w:t></w:r></w:p></w:document>'
  const slide =
    '<p:sld><a:p><a:r><a:t>Plan</a:t></a:r><a:br/><a:r><a:t>for 2027 &#x1F600;</a:t></a:r></a:p></p:sld>'

  test('is described by its first words', async () => {
    const file = zipOf({ '[Content_Types].xml': '<Types/>', 'word/document.xml': words })
    expect(await described(file, DOCX, null)).toBe(
      'Word document. It begins: “Dear all, R&D <news>”',
    )
  })

  test('with slides is described by their number and the first one', async () => {
    const file = zipOf({ 'ppt/slides/slide2.xml': '<a:t>No</a:t>', 'ppt/slides/slide1.xml': slide })
    expect(await described(file, PPTX, 2)).toBe(
      'PowerPoint presentation with 2 slides. It begins: “Plan for 2027 😀”',
    )
  })

  test('that unpacks to far more than it is, is read at its beginning only', async () => {
    const bomb = Buffer.concat([Buffer.from(words), Buffer.alloc(60 * 1024 * 1024, ' ')])
    expect(await described(zipOf({ 'word/document.xml': bomb }), DOCX, 1)).toBe(
      'Word document with 1 page. It begins: “Dear all, R&D <news>”',
    )
  })

  test.each<[string, Buffer]>([
    ['is empty', Buffer.alloc(0)],
    ['is something else', Buffer.from('hello')],
    ['is cut off', zipOf({ 'word/document.xml': words }).subarray(0, 60)],
    ['has another main part', zipOf({ 'word/other.xml': words })],
    ['has no text', zipOf({ 'word/document.xml': '<w:document/>' })],
    ['has damaged data', damaged(zipOf({ 'word/document.xml': words }))],
  ])('that %s is described without its words', async (_, file) => {
    expect(await described(file, DOCX, 4)).toBe('Word document with 4 pages.')
  })

  test.each([
    ['application/msword', 'Word document.'],
    ['application/vnd.ms-powerpoint', 'PowerPoint presentation.'],
    ['application/x-other', 'Document.'],
  ])('of type %s is described as "%s"', async (mimeType, expected) => {
    expect(await described(Buffer.from('hello'), mimeType, null)).toBe(expected)
  })
})

function damaged(zip: Buffer): Buffer {
  return Buffer.from(zip).fill(0xff, 50, 70)
}

async function described(file: Buffer, mimeType: string, pages: number | null) {
  using folder = temporaryFolder()
  const path = join(folder.path, 'document')
  await writeFile(path, file)
  const facts: FileFacts = {
    type: 'document',
    mimeType,
    width: null,
    height: null,
    durationSeconds: null,
    pages,
    isAnimated: false,
  }
  return await describeFile(path, facts, STEP_MS)
}
