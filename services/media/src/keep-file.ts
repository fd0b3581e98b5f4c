import { AppError } from '@herald/contracts/errors'
import type { Inspection } from '@herald/media-files/inspection'
import { RiderRefused } from '@herald/event-store/errors'
import type { Deps } from './deps.ts'
import type { VerifiedFile } from './domain/events.ts'
import { keepObjects, type KeptObjects, newKey } from './keep-objects.ts'
import type { Received } from './receive.ts'

export type Kept = KeptObjects & { file: VerifiedFile }

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
  const objectKey = newKey('files', mimeType)
  const thumbnailKey = thumbnail && newKey('thumbnails', thumbnail.mimeType)
  const file = { key: objectKey, path, mimeType, sizeBytes }
  const kept = await keepObjects(
    deps,
    thumbnail && thumbnailKey !== null ? [file, { ...thumbnail, key: thumbnailKey }] : [file],
  )
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
    ...kept,
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
