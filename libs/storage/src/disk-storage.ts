import { addAbortSignal, type Readable } from 'node:stream'
import { copyBody, readBody, writeBody } from './disk-bodies.ts'
import {
  describeFile,
  isWritable,
  listFiles,
  openFolder,
  removeFile,
  statFile,
  storeFile,
  type DiskFolder,
} from './disk-files.ts'
import { uploadHandler, type UploadHandler } from './disk-uploads.ts'
import { guardedBody, streamOf } from './guarded-body.ts'
import { checkKey, checkPrefix } from './key.ts'
import { presignPut } from './presign.ts'
import { checkRange } from './range.ts'
import { DEADLINES, type Deadlines, type Storage } from './storage.ts'

/** Where a disk storage keeps its objects, and how clients reach the handler of its uploads. */
export type DiskSettings = {
  folder: string
  /** The address at which `handleUpload` is mounted, as clients reach it: `http://127.0.0.1:8081/uploads`. */
  publicUrl: string | (() => string)
  /** With these, addresses are signed and checked. The secret must not be known to clients. */
  accessKey: string
  secretKey: string
  /** The first name of a path behind `publicUrl`; `media` unless given. */
  bucket?: string
  ifNoneMatch?: boolean
  deadlines?: Partial<Deadlines> | undefined
  /** Hears of uploads that failed because the folder did. */
  onError?: (error: unknown) => void
}

/** Objects as files in a folder. `handleUpload` answers the requests to presigned addresses. */
export type DiskStorage = Storage & { handleUpload: UploadHandler }

/** Opens a folder as object storage, and makes it when there is none. Throws when it cannot be written. */
export function createDiskStorage(settings: DiskSettings): DiskStorage {
  const folder = openFolder(settings.folder)
  const { accessKey, secretKey, bucket = 'media', ifNoneMatch = true } = settings
  const credentials = { accessKey, secretKey, region: 'local' }
  const { idleMs } = { ...DEADLINES, ...settings.deadlines }
  const publicUrl = () =>
    typeof settings.publicUrl === 'string' ? settings.publicUrl : settings.publicUrl()
  return {
    async presignPut(input) {
      checkKey(input.key)
      return presignPut(publicUrl(), bucket, input, { credentials, ifNoneMatch })
    },
    handleUpload: uploadHandler({
      publicUrl,
      bucket,
      credentials,
      ...uploadsTo(folder, idleMs),
      onError: settings.onError ?? (() => {}),
      lingerMs: idleMs,
    }),
    async head(key) {
      checkKey(key)
      return describeFile(folder, key)
    },
    async get(key, range, signal) {
      checkKey(key)
      if (range !== undefined) checkRange(range)
      signal?.throwIfAborted()
      const { stream, length } = await readBody(folder, key, range)
      const body = guardedBody(stream, length, idleMs)
      return signal === undefined ? body : addAbortSignal(signal, body)
    },
    async put(key, body, { contentLength, signal }) {
      const source = streamOf(body)
      try {
        checkKey(key)
        const options = { contentLength, idleMs, signal }
        await storeFile(folder, key, (path) => writeBody(path, source, options))
      } finally {
        source.destroy()
      }
    },
    async copy(from, to) {
      checkKey(from)
      checkKey(to)
      await storeFile(folder, to, (path) => copyBody(folder, from, path))
    },
    async delete(key) {
      checkKey(key)
      await removeFile(folder, key)
    },
    async *list(prefix) {
      checkPrefix(prefix)
      yield* listFiles(folder, prefix)
    },
    isReady: () => isWritable(folder),
  }
}

/** What the handler of uploads needs of the folder. */
function uploadsTo(folder: DiskFolder, idleMs: number) {
  return {
    has: async (key: string) => (await statFile(folder, key)) !== undefined,
    store: (key: string, body: Readable, contentLength: number, options: { isNew: boolean }) =>
      storeFile(folder, key, (path) => writeBody(path, body, { contentLength, idleMs }), options),
  }
}
