import { temporaryFolder } from '@herald/testing/temporary-folder'
import { randomUUID } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImageLimits } from '../src/images/convert-image.ts'
import type { Inspection } from '../src/inspection.ts'
import { type MediaWorkers, openMediaWorkers } from '../src/media-workers.ts'
import type { PictureFile } from '../src/save-picture.ts'

/** Workers, and what hands them bytes as files. */
export type Media = {
  workers: MediaWorkers
  /** Writes bytes into a new file. */
  save: (content: Uint8Array, name?: string) => Promise<string>
  inspect: (content: Uint8Array, name?: string) => Promise<Inspection>
  convert: (content: Uint8Array, limits: Partial<ImageLimits>) => Promise<Converted>
}

/** A picture that was converted, where it was and where the new one had to be written. */
export type Converted = { original: string; made: PictureFile; outputFolder: string }
type Use = (media: Media) => Promise<void>

const ACCEPTED = {
  mimeTypes: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
  maxBytes: 10_000_000,
}

/** For `test.extend`: the same workers for all tests of a file. */
export const media: [({}: object, use: Use) => Promise<void>, { scope: 'file' }] = [
  async ({}, use) => {
    using folder = temporaryFolder()
    const workers = await openMediaWorkers()
    const save: Media['save'] = async (content, name) => {
      const path = join(folder.path, name ?? randomUUID())
      await writeFile(path, content)
      return path
    }
    await use({
      workers,
      save,
      inspect: async (content, name) =>
        workers.inspect(await save(content, name), { thumbnailFolder: folder.path }),
      convert: async (content, limits) => {
        const outputFolder = await mkdtemp(join(folder.path, 'converted-'))
        const original = await save(content)
        const all = { ...ACCEPTED, ...limits, outputFolder }
        return { original, made: await workers.convertImage(original, all), outputFolder }
      },
    })
    await workers.close()
  },
  { scope: 'file' },
]
