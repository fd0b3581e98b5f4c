import { temporaryFolder } from '@herald/testing/temporary-folder'
import { eventually } from '@herald/testing/eventually'
import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { askWorker } from '../src/ask-worker.ts'
import { type MediaWorkersOptions, openMediaWorkers } from '../src/media-workers.ts'
import { savePicture } from '../src/save-picture.ts'
import { UnreadableFile } from '../src/unreadable-file.ts'
import { openWorkerPool } from '../src/workers/worker-pool.ts'
import { gifOfFrames, picture } from './make-files.ts'

async function openWith(options: MediaWorkersOptions, content: Buffer) {
  const folder = temporaryFolder()
  const workers = await openMediaWorkers(options)
  const path = join(folder.path, 'file')
  await writeFile(path, content)
  return {
    ...workers,
    path,
    async [Symbol.asyncDispose]() {
      await workers.close()
      folder[Symbol.dispose]()
    },
  }
}

const small = await picture(60, 40).jpeg().toBuffer()
/** Nearly as many pixels as may be, in very many frames. */
const large = gifOfFrames(10_000, 220)

test('a file that takes longer than it may is unreadable, and the next one is read', async () => {
  await using media = await openWith({ fileMs: 150, workers: 1 }, large)
  await expect(media.inspect(media.path)).rejects.toThrow(
    new UnreadableFile('This file takes too long to read.'),
  )
  await writeFile(media.path, small)
  // Loading code for the first time may take longer than so short a limit on a busy machine.
  await eventually(async () => expect(await media.inspect(media.path)).toMatchObject({ width: 60 }))
})

test('a file that takes more memory than it may is unreadable', async () => {
  await using media = await openWith({ memoryBytes: 64 * 1024 * 1024 }, large)
  await expect(media.inspect(media.path)).rejects.toThrow(
    new UnreadableFile('This file needs too much memory to read.'),
  )
})

test('more files than may wait are refused as busy, and the others are read', async () => {
  await using media = await openWith({ workers: 2, maxWaiting: 8 }, small)
  const files = Array.from({ length: 50 }, () =>
    media.inspect(media.path).then(
      () => 'read',
      (error: Error) => error.name,
    ),
  )
  const outcomes = await Promise.all(files)
  expect(outcomes.filter((outcome) => outcome === 'read')).toHaveLength(10)
  expect(outcomes.filter((outcome) => outcome === 'WorkersBusy')).toHaveLength(40)
})

test('files are read without any of the programs that lock workers in', async () => {
  const path = process.env.PATH
  process.env.PATH = '/nowhere'
  const opening = openWith({}, small)
  await using media = await opening.finally(() => (process.env.PATH = path))
  expect(media.isolation()).toMatchObject({ network: false, userId: null, resourceLimits: false })
  expect(await media.inspect(media.path)).toMatchObject({ width: 60 })
})

test('a worker is asked to describe a file with the facts that were found', async () => {
  await using media = await openWith({}, small)
  const facts = await media.inspect(media.path)
  const description = await media.describe(media.path, facts)
  expect(description === null || description.length > 0).toBe(true)
})

test('after closing nothing is read, and no copy of a file is left', async () => {
  const before = copiesOfFiles()
  await using media = await openWith({}, small)
  const interrupted = media.inspect(media.path).catch((error: Error) => error.name)
  await media.close()
  expect(await interrupted).not.toBe('UnreadableFile')
  await expect(media.inspect(media.path)).rejects.not.toThrow(UnreadableFile)
  expect(copiesOfFiles()).toEqual(before)
})

describe('what a worker that was taken over answers makes the file unreadable', () => {
  const facts = {
    type: 'image',
    mimeType: 'image/png',
    width: 1,
    height: 1,
    durationSeconds: null,
    pages: null,
    isAnimated: false,
  }
  test.each<[string, unknown]>([
    ['nothing', null],
    ['no result', { result: {} }],
    [
      'a type that is not supported',
      { result: { facts: { ...facts, mimeType: 'text/html' }, picture: null } },
    ],
    ['a width that is no number', { result: { facts: { ...facts, width: '1' }, picture: null } }],
    ['a negative height', { result: { facts: { ...facts, height: -1 }, picture: null } }],
    [
      'a field that nobody asked for',
      { result: { facts: { ...facts, path: '/etc' }, picture: null } },
    ],
    ['a message without end', { unreadable: 'x'.repeat(10_000) }],
  ])('%s', async (_, reply) => {
    const module = fileURLToPath(new URL('./misbehaving-worker.ts', import.meta.url))
    const times = { maxWaitMs: 9_000, idleMs: 9_000, tasksPerWorker: 9 }
    const pool = openWorkerPool({
      jail: [],
      module,
      maxBodyBytes: 9,
      size: 1,
      maxWaiting: 9,
      ...times,
    })
    const path = JSON.stringify({ deed: 'answer', with: reply })
    const task = { kind: 'inspect', wantsThumbnail: false } as const
    const limits = { wallMs: 9_000, cpuMs: 9_000, memoryBytes: 1e9 }
    await expect(askWorker(pool, { path, task }, limits)).rejects.toThrow(UnreadableFile)
    await pool.close()
  })

  test('bytes that are not the picture that it says', async () => {
    using folder = temporaryFolder()
    const said = { mimeType: 'image/webp', width: 1, height: 1 } as const
    const saving = savePicture(folder.path, said, Buffer.from('<script>alert(1)</script>'))
    await expect(saving).rejects.toThrow(UnreadableFile)
    expect(readdirSync(folder.path)).toEqual([])
  })
})

function copiesOfFiles(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('herald-media-'))
}
