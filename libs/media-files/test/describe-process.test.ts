import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { expect, test } from 'vitest'
import { pdfOf, pictureOf, STEP_MS, zipOf } from './describe-files.ts'

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const SCRIPT = `
  import { describeFile } from '${import.meta.resolve('../src/describe/describe-file.ts')}'
  const [path, type, mimeType] = process.argv.slice(1)
  const unknown = { width: null, height: null, durationSeconds: null, pages: null }
  const description = await describeFile(path, { type, mimeType, ...unknown, isAnimated: false }, ${STEP_MS})
  process.stdout.write(JSON.stringify(description))
`

// Node finds other parts of some libraries than the test runner does.
test.each<[string, string, () => Buffer | Promise<Buffer>, RegExp]>([
  ['image', 'image/jpeg', photo, /^Bright .* Taken on 12 May 2026 with the camera Canon\./],
  ['document', 'application/pdf', () => pdfOf('Annual report'), /It begins: “Annual report”$/],
  ['document', DOCX, () => zipOf({ 'word/document.xml': '<w:t>Dear all' }), /“Dear all”$/],
])(
  'a process of its own describes an item of type %s, %s',
  async (type, mimeType, file, expected) => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'file')
    await writeFile(path, await file())
    const command = ['--input-type=module', '-e', SCRIPT, path, type, mimeType]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, {
      timeout: 50_000,
    })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatch(expected)
  },
)

function photo(): Promise<Buffer> {
  const exif = { IFD0: { Make: 'Canon' }, IFD2: { DateTimeOriginal: '2026:05:12 10:00:00' } }
  return pictureOf('HELLO').withExif(exif).jpeg().toBuffer()
}
