import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Rider } from '@herald/event-store/append'
import { crashPoint } from '@herald/service/crash-point'
import type { Deps } from './deps.ts'
import { doomNow, doomUnowned, pardon } from './doomed-objects.ts'
import { usualEnding } from './file-name.ts'

/** A file on the disk of this process that is to be an object. */
export type NewObject = { key: string; path: string; mimeType: string; sizeBytes: number }

export type KeptObjects = {
  /** Belongs to the statements that give the objects an owner. */
  own: Rider
  /** It is certain that nobody will own the objects. */
  abandon: () => Promise<void>
}

/** Puts files into storage under keys that no client was ever given. Until somebody owns the objects they are doomed. */
export async function keepObjects(
  deps: Pick<Deps, 'store' | 'storage' | 'onDoomed'>,
  objects: readonly [NewObject, ...NewObject[]],
): Promise<KeptObjects> {
  const { pool } = deps.store
  const id = objects[0].key
  const keys = objects.map(({ key }) => key)
  await doomUnowned(pool, id, keys)
  crashPoint('media.doomed')
  try {
    for (const object of objects) await put(deps, object)
  } catch (error) {
    // A put that failed may still come to its end in the store, so its objects are not removed now.
    await doomUnowned(pool, id, keys).catch(() => undefined)
    throw error
  }
  crashPoint('media.kept')
  return {
    own: pardon(id),
    abandon: async () => {
      await doomNow(pool, id, keys)
      deps.onDoomed()
    },
  }
}

/** A key of 160 random bits: nobody guesses the address of a file. */
export function newKey(folder: 'files' | 'thumbnails' | 'renditions', mimeType: string): string {
  return `${folder}/${randomBytes(20).toString('hex')}.${usualEnding(mimeType)}`
}

async function put(
  { storage }: Pick<Deps, 'storage'>,
  { key, path, mimeType, sizeBytes }: NewObject,
): Promise<void> {
  const body = createReadStream(path)
  try {
    await storage.put(key, body, { contentType: mimeType, contentLength: sizeBytes })
  } finally {
    body.destroy()
  }
}
