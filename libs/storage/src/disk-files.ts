import { randomUUID } from 'node:crypto'
import {
  constants,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  type BigIntStats,
} from 'node:fs'
import { access, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StorageUnavailable } from './errors.ts'
import { isKey } from './key.ts'

/** Where objects are, each a file at its key, and where files stand while they are written. */
export type DiskFolder = { objects: string; temporary: string }

const ABANDONED_MS = 3_600_000

/** Makes what is missing of a storage folder and removes what a crash left half written. */
export function openFolder(path: string): DiskFolder {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const folder = realpathSync(path)
  const [objects, temporary] = [join(folder, 'objects'), join(folder, 'temporary')]
  for (const part of [objects, temporary]) mkdirSync(part, { recursive: true })
  for (const name of readdirSync(temporary)) {
    const file = join(temporary, name)
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    // A younger one may be written by another process right now.
    if (age > ABANDONED_MS) rmSync(file, { recursive: true, force: true })
  }
  return { objects, temporary }
}

/**
 * Stores an object: `write` makes a complete and synced file at the path it gets, which then appears at the key in one
 * step and is there after a power cut when this returns. With `isNew` only if there is no object yet: of two at once one
 * gets true and the other false.
 */
export async function storeFile(
  folder: DiskFolder,
  key: string,
  write: (temporary: string) => Promise<void>,
  { isNew = false }: { isNew?: boolean } = {},
): Promise<boolean> {
  const temporary = join(folder.temporary, randomUUID())
  try {
    await write(temporary)
    return await onDisk(async () => {
      const path = join(folder.objects, key)
      await mkdir(dirname(path), { recursive: true })
      if (isNew) {
        if (!(await isLinked(temporary, path))) return false
      } else {
        await rename(temporary, path)
      }
      await syncFolders(folder.objects, dirname(path))
      return true
    })
  } finally {
    await rm(temporary, { force: true })
  }
}

/** The status of the file of an object; undefined when there is none. */
export async function statFile(folder: DiskFolder, key: string): Promise<BigIntStats | undefined> {
  const path = join(folder.objects, key)
  const found = await onDisk(() => unlessAbsent(() => stat(path, { bigint: true })))
  return found?.isFile() === true ? found : undefined
}

/** Size and version of an object; undefined when there is none. */
export async function describeFile(folder: DiskFolder, key: string) {
  const found = await statFile(folder, key)
  if (found === undefined) return undefined
  const { ino, size, mtimeNs } = found
  const etag = [ino, size, mtimeNs].map((part) => part.toString(16)).join('-')
  return { sizeBytes: Number(size), etag }
}

/** Removes the file of an object, if there is one. */
export async function removeFile(folder: DiskFolder, key: string): Promise<void> {
  if ((await statFile(folder, key)) === undefined) return
  await onDisk(() => rm(join(folder.objects, key), { force: true }))
}

/** The keys that start with `prefix` with their files, in order. What comes or goes meanwhile may be in it or not. */
export async function* listFiles(
  folder: DiskFolder,
  prefix: string,
  parent = '',
): AsyncGenerator<{ key: string; sizeBytes: number; modifiedAt: string }> {
  for (const name of await namesIn(join(folder.objects, parent))) {
    const key = `${parent}${name}`
    if (name.endsWith('/')) {
      if (key.startsWith(prefix) || prefix.startsWith(key)) yield* listFiles(folder, prefix, key)
    } else if (key.startsWith(prefix) && isKey(key)) {
      const found = await statFile(folder, key)
      if (found === undefined) continue
      yield { key, sizeBytes: Number(found.size), modifiedAt: found.mtime.toISOString() }
    }
  }
}

/** Whether objects can be written right now. */
export async function isWritable(folder: DiskFolder): Promise<boolean> {
  try {
    await access(folder.objects, constants.W_OK)
    await access(folder.temporary, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** What `find` answers, or undefined when there is no such file, also because a part of its path is a file. */
export async function unlessAbsent<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return undefined
    throw error
  }
}

/** Does something with the folder. What fails is `StorageUnavailable`: the disk is full, read-only, or gone. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = errorCode(error)
    throw new StorageUnavailable(`The storage folder failed: ${code}`, { cause: error })
  }
}

/** Makes what was written to a file or folder survive a power cut. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A folder's names in the order of keys, where the `/` behind the name of a folder counts. */
async function namesIn(path: string): Promise<string[]> {
  const entries = await onDisk(() => unlessAbsent(() => readdir(path, { withFileTypes: true })))
  return (entries ?? [])
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted()
}

/** The name of the file stands in its folder, whose name stands in the next: all were perhaps made just now. */
async function syncFolders(root: string, folder: string): Promise<void> {
  for (let path = folder; ; path = dirname(path)) {
    await sync(path)
    if (path === root) return
  }
}

async function isLinked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
