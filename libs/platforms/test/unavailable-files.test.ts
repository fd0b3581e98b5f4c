import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { FileUnavailable, FileUnfit, type PublishFile } from '../src/platform.ts'
import { prepare } from './mastodon-instance.ts'
import { aPublishFile } from './publish-file.ts'

const picture = aPublishFile('med_1', 'image')
const video = aPublishFile('med_1', 'video')

describe('a file that cannot be had', () => {
  const gone = new FileUnavailable('The file is gone.', { retryable: false })
  const away = new FileUnavailable('The storage is away.', { retryable: true })
  const breaking = (error: Error) =>
    Readable.from(
      (async function* () {
        yield Buffer.from('bytes')
        throw error
      })(),
    )

  test.each<[string, PublishFile, object]>([
    [
      'is the end of its post',
      { ...video, open: () => Promise.reject(gone) },
      { outcome: 'permanent', errorCode: 'media_missing', message: 'The file is gone.' },
    ],
    [
      'for now is tried again',
      { ...video, open: () => Promise.reject(away) },
      { outcome: 'transient', message: 'The storage is away.' },
    ],
    [
      'to its end is the end of its post',
      { ...video, open: async () => breaking(gone) },
      { outcome: 'permanent', errorCode: 'media_missing' },
    ],
    [
      'to its end for now is tried again',
      { ...video, open: async () => breaking(away) },
      { outcome: 'transient', message: 'The storage is away.' },
    ],
    [
      'as a picture is the end of its post',
      { ...picture, image: () => Promise.reject(gone) },
      { outcome: 'permanent', errorCode: 'media_missing' },
    ],
    [
      'in the limits is the end of its post',
      { ...picture, image: () => Promise.reject(new FileUnfit('It is too long and thin.')) },
      { outcome: 'permanent', errorCode: 'media_unfit', message: 'It is too long and thin.' },
    ],
    ['in full length is tried again', { ...video, sizeBytes: 1000 }, { outcome: 'transient' }],
  ])('%s', async (_, file, expected) => {
    expect((await prepare([file], {})).outcome).toMatchObject(expected)
  })

  test('by a mistake of the caller is thrown on', async () => {
    const file = { ...picture, image: () => Promise.reject(new TypeError('mistake')) }
    await expect(prepare([file], {})).rejects.toThrow('mistake')
  })
})
