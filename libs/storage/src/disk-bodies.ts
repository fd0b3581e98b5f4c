import { constants, createWriteStream } from 'node:fs'
import { copyFile, open } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { onDisk, statFile, sync, unlessAbsent, type DiskFolder } from './disk-files.ts'
import { StorageMissing, StorageUnavailable } from './errors.ts'
import { exactly } from './guarded-body.ts'
import type { ByteRange } from './storage.ts'

/** Writes a body of exactly `contentLength` bytes to a new file and syncs it. Throws what the body throws. */
export async function writeBody(
  path: string,
  body: Readable,
  options: { contentLength: number; idleMs: number; signal?: AbortSignal | undefined },
): Promise<void> {
  const { contentLength, idleMs, signal } = options
  signal?.throwIfAborted()
  // Otherwise the next piece of the body would be waited for first.
  if (signal !== undefined) addAbortSignal(signal, body)
  let failure: { error: unknown } | undefined
  async function* chunks() {
    try {
      yield* exactly(body, contentLength, idleMs)
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  try {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(chunks, file)
  } catch (error) {
    signal?.throwIfAborted()
    if (failure !== undefined) throw failure.error
    throw new StorageUnavailable('The object could not be written.', { cause: error })
  }
}

/**
 * Opens an object, or a part of it, for reading; `length` is how many bytes will come. The object may be replaced or
 * removed meanwhile: what is open stays as it was.
 */
export async function readBody(
  folder: DiskFolder,
  key: string,
  range: ByteRange | undefined,
): Promise<{ stream: Readable; length: number }> {
  const path = join(folder.objects, key)
  const file = await onDisk(() => unlessAbsent(() => open(path, 'r')))
  if (file === undefined) throw new StorageMissing(key)
  try {
    const found = await onDisk(() => file.stat())
    if (!found.isFile()) throw new StorageMissing(key)
    const start = range?.start ?? 0
    const end = Math.min(range?.end ?? Infinity, found.size - 1)
    if (range !== undefined && start > end) throw new RangeError(`${key} ends before this range.`)
    const stream = file.createReadStream({ start, end: Math.max(end, 0) })
    return { stream, length: end - start + 1 }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Copies the bytes of an object to a new file and syncs it, without reading them where the file system can. */
export async function copyBody(folder: DiskFolder, from: string, path: string): Promise<void> {
  if ((await statFile(folder, from)) === undefined) throw new StorageMissing(from)
  const copied = await onDisk(() =>
    unlessAbsent(async () => {
      await copyFile(join(folder.objects, from), path, constants.COPYFILE_FICLONE)
      await sync(path)
      return true
    }),
  )
  // It was removed in between.
  if (copied === undefined) throw new StorageMissing(from)
}
