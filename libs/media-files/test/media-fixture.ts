import { temporaryFolder } from '@herald/testing/temporary-folder'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test as base } from 'vitest'
import type { Inspection } from '../src/inspection.ts'
import { type MediaWorkers, openMediaWorkers } from '../src/media-workers.ts'

/** A folder of the test, workers for its file, and what writes bytes into a file. */
export const test = base
  .extend('folder', { scope: 'file' }, ({}, { onCleanup }) => {
    const folder = temporaryFolder()
    onCleanup(() => folder[Symbol.dispose]())
    return folder.path
  })
  .extend('workers', { scope: 'file' }, async ({}, { onCleanup }): Promise<MediaWorkers> => {
    const workers = await openMediaWorkers()
    onCleanup(() => workers.close())
    return workers
  })
  .extend('save', { scope: 'file' }, ({ folder }) => async (content: Uint8Array, name?: string) => {
    const path = join(folder, name ?? randomUUID())
    await writeFile(path, content)
    return path
  })
  .extend(
    'inspect',
    { scope: 'file' },
    ({ workers, save, folder }) =>
      async (content: Uint8Array, name?: string): Promise<Inspection> =>
        workers.inspect(await save(content, name), { thumbnailFolder: folder }),
  )
