import { expect, test } from 'vitest'
import { aFile } from '../test/drafts.ts'
import { checkFiles, type FileRules } from './check-files.ts'

const RULES: FileRules = {
  name: 'Somewhere',
  files: {
    image: { maxAltText: 5 },
    gif: {},
    video: { mimeTypes: ['video/mp4'], maxBytes: 1000, maxPixels: 100, maxSeconds: 60 },
  },
  countAltText: (text) => text.length,
}

test.each<[string, Parameters<typeof aFile>[0], object[]]>([
  ['a file of a type without limits keeps them', { type: 'gif', sizeBytes: 1e9 }, []],
  ['a file of which nothing is known keeps them', { type: 'video' }, []],
  [
    'a file at every limit keeps them',
    { type: 'video', sizeBytes: 1000, width: 10, height: 10, durationSeconds: 60 },
    [],
  ],
  [
    'a file above every limit is told of each',
    { type: 'video', sizeBytes: 1001, width: 101, height: 1, durationSeconds: 61 },
    [
      {
        rule: 'maxFileBytes',
        limit: 1000,
        actual: 1001,
        message: 'The video has 1001 bytes; Somewhere takes 1000.',
      },
      { rule: 'maxPixels', limit: 100, actual: 101 },
      { rule: 'maxSeconds', limit: 60, actual: 61 },
    ],
  ],
  [
    'a video of another type is not taken',
    { type: 'video', mimeType: 'video/webm' },
    [
      {
        rule: 'mediaType',
        message: 'Somewhere takes no video of the type video/webm, only video/mp4.',
      },
    ],
  ],
  [
    'a file of another kind is not taken, whatever else it is',
    { type: 'document', sizeBytes: 1e9, altText: 'x'.repeat(99) },
    [{ rule: 'mediaType', message: 'A post to Somewhere takes no document.' }],
  ],
  [
    'an alt text has its limit',
    { type: 'image', altText: 'xxxxxx' },
    [{ rule: 'maxAltText', limit: 5, actual: 6 }],
  ],
])('%s', (_, file, expected) => {
  const found = checkFiles([aFile({ type: 'gif' }), aFile(file)], RULES)
  expect(found).toEqual(
    expected.map((finding) => expect.objectContaining({ ...finding, path: 'mediaIds.1' })),
  )
})
