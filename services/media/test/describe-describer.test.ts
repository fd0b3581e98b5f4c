import type { FileFacts } from '@herald/media-files/inspection'
import { loadConfig } from '@herald/service/config'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { DescribeFailed } from '../src/describe/describe-failed.ts'
import { describerEnv, describerFrom, type FileToDescribe } from '../src/describe/describer.ts'
import { KEY, MODEL, visionServer } from './describe-vision-server.ts'

const PICTURE = { image: Uint8Array.from([1, 2, 3]), mimeType: 'image/webp' }

test('files are described locally unless it is set', async () => {
  expect(await described({}, aFile())).toBe('Local: /files/1 (image)')
})

test('files are not described, and not even fetched, when it is off', async () => {
  const untouched = { path: mustNotBeAsked, thumbnail: mustNotBeAsked }
  expect(await described({ DESCRIBER: 'off' }, aFile(untouched))).toBeNull()
})

describe('with a vision endpoint', () => {
  test.each(['image', 'gif', 'video'] as const)(
    'the thumbnail of an item of type %s is shown to the model, and the file is not fetched',
    async (type) => {
      await using server = await visionServer()
      const file = aFile({ type, path: mustNotBeAsked })
      expect(await described(visionEnv(server.url), file)).toBe('A cat.')
      expect(server.asked).toMatchObject([
        { image: Buffer.from(PICTURE.image), mimeType: 'image/webp', text: 'File name: cat.png' },
      ])
    },
  )

  test.each<[string, Partial<FileToDescribe> & { type: FileFacts['type'] }]>([
    ['a document', { type: 'document' }],
    ['a video without a thumbnail', { type: 'video', thumbnail: async () => null }],
    ['a picture without a thumbnail', { type: 'image', thumbnail: async () => null }],
  ])('%s is described locally', async (_, file) => {
    await using server = await visionServer()
    expect(await described(visionEnv(server.url), aFile(file))).toBe(
      `Local: /files/1 (${file.type})`,
    )
    expect(server.asked).toEqual([])
  })

  test('a slash at the end of its address makes no difference', async () => {
    await using server = await visionServer()
    expect(await described(visionEnv(`${server.url}/`), aFile())).toBe('A cat.')
  })

  test('its failure is told and not covered up by a local description', async () => {
    await using server = await visionServer(() => ({ status: 503, body: '' }))
    await expect(described(visionEnv(server.url), aFile())).rejects.toThrow(DescribeFailed)
  })

  test('the time it may take is a setting', async () => {
    await using server = await visionServer(() => undefined)
    const env = { ...visionEnv(server.url), DESCRIBER_TIMEOUT_SECONDS: '0.2' }
    await expect(described(env, aFile())).rejects.toThrow(/TimeoutError/)
  })

  test.each(['DESCRIBER_URL', 'DESCRIBER_MODEL'])('it does not start without %s', (name) => {
    const env = { ...visionEnv('http://127.0.0.1:1/v1'), [name]: undefined }
    expect(() => describerOf(env)).toThrow(name)
  })

  test.each([
    ['DESCRIBER', 'magic'],
    ['DESCRIBER_URL', 'models.example/v1'],
    ['DESCRIBER_URL', 'ftp://models.example/v1'],
    ['DESCRIBER_URL', 'https://user:secret@models.example/v1'],
    ['DESCRIBER_URL', 'https://models.example/v1?key=secret'],
    ['DESCRIBER_KEY', 'secret key'],
    ['DESCRIBER_KEY', 'secret\nkey'],
    ['DESCRIBER_MODEL', ''],
    ['DESCRIBER_TIMEOUT_SECONDS', '0'],
    ['DESCRIBER_TIMEOUT_SECONDS', 'long'],
  ])('it does not start with %s=%j, and does not show the value', (name, value) => {
    const env = { ...visionEnv('http://127.0.0.1:1/v1'), [name]: value }
    expect(() => describerOf(env)).toThrow(name)
    expect(() => describerOf(env)).not.toThrow(/secret/)
  })
})

function aFile({
  type = 'image',
  ...file
}: Partial<FileToDescribe> & { type?: FileFacts['type'] } = {}): FileToDescribe {
  return {
    fileName: 'cat.png',
    facts: {
      type,
      mimeType: 'image/png',
      width: null,
      height: null,
      durationSeconds: null,
      pages: null,
      isAnimated: false,
    },
    path: async () => '/files/1',
    thumbnail: async () => PICTURE,
    ...file,
  }
}

function visionEnv(url: string) {
  return { DESCRIBER: 'vision', DESCRIBER_URL: url, DESCRIBER_KEY: KEY, DESCRIBER_MODEL: MODEL }
}

function describerOf(env: Record<string, string | undefined>) {
  return describerFrom(loadConfig(z.object(describerEnv), env), {
    describeFile: async (path, { type }) => `Local: ${path} (${type})`,
  })
}

async function described(env: Record<string, string | undefined>, file: FileToDescribe) {
  return describerOf(env)(file)
}

function mustNotBeAsked(): never {
  throw new Error('This was not needed.')
}
