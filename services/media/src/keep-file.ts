import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { AppError } from '@herald/contracts/errors'
import type { Inspection } from '@herald/media-files/inspection'
import type { Rider } from '@herald/event-store/append'
import { RiderRefused } from '@herald/event-store/errors'
import { crashPoint } from '@herald/service/crash-point'
import type { Deps } from './deps.ts'
import type { VerifiedFile } from './domain/events.ts'
import { doomNow, doomUnowned, pardon } from './doomed-objects.ts'
import { usualEnding } from './file-name.ts'
import type { Received } from './receive.ts'

export type Kept = {
  file: VerifiedFile
  /** Rides with the event that gives the objects to a file. */
  own: Rider
  /** It is certain that nobody will own the objects. */
  abandon: () => Promise<void>
}

/**
 * Puts the very bytes that were checked under a new key that no client was ever given, and the thumbnail beside them.
 * Until an event owns the objects they are doomed.
 */
export async function keepFile(
  deps: Pick<Deps, 'store' | 'storage' | 'onDoomed'>,
  path: string,
  { sizeBytes, sha256 }: Received,
  inspection: Inspection,
): Promise<Kept> {
  const { thumbnail, type, mimeType, width, height, durationSeconds, pages, isAnimated } =
    inspection
  const objectKey = `files/${randomName()}.${usualEnding(mimeType)}`
  const thumbnailKey = thumbnail && `thumbnails/${randomName()}.${usualEnding(thumbnail.mimeType)}`
  const keys = thumbnailKey === null ? [objectKey] : [objectKey, thumbnailKey]
  await doomUnowned(deps.store.pool, objectKey, keys)
  crashPoint('media.doomed')
  try {
    await put(deps, objectKey, { path, mimeType, sizeBytes })
    if (thumbnail && thumbnailKey !== null) await put(deps, thumbnailKey, thumbnail)
  } catch (error) {
    // A put that failed may still come to its end in the store, so its objects are not removed now.
    await doomUnowned(deps.store.pool, objectKey, keys).catch(() => undefined)
    throw error
  }
  crashPoint('media.kept')
  return {
    file: {
      type,
      mimeType,
      sizeBytes,
      width,
      height,
      durationSeconds,
      pages,
      isAnimated,
      sha256,
      objectKey,
      thumbnailKey,
    },
    own: pardon(objectKey),
    abandon: async () => {
      await doomNow(deps.store.pool, objectKey, keys)
      deps.onDoomed()
    },
  }
}

/**
 * Runs the append that gives the objects to a file. They are abandoned when it certainly did not; when nobody knows,
 * they go by themselves unless it did.
 */
export async function giveOwner<T extends { events: unknown[] }>(
  kept: Kept,
  append: () => Promise<T>,
): Promise<T> {
  try {
    const handled = await append()
    if (handled.events.length === 0) await kept.abandon()
    return handled
  } catch (error) {
    const isCertain = error instanceof AppError || error instanceof RiderRefused
    if (isCertain) await kept.abandon().catch(() => undefined)
    throw error
  }
}

async function put(
  { storage }: Pick<Deps, 'storage'>,
  key: string,
  { path, mimeType, sizeBytes }: { path: string; mimeType: string; sizeBytes: number },
): Promise<void> {
  const body = createReadStream(path)
  try {
    await storage.put(key, body, { contentType: mimeType, contentLength: sizeBytes })
  } finally {
    body.destroy()
  }
}

/** 160 bits: nobody guesses the address of a file. */
function randomName(): string {
  return randomBytes(20).toString('hex')
}
