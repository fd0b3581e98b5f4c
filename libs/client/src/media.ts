import type { Connection } from './connection.ts'
import { listAt } from './list.ts'
import { pathOf } from './path.ts'
import type { Deleted, Media, MediaQuery, NewImport, NewUpload, Upload } from './resources.ts'
import { type Call, type CallOptions, send } from './send.ts'
import { type FileToUpload, uploadFile } from './upload-file.ts'

/** Herald downloads the file, or reads it through, before it answers. */
const LONG_MS = 150_000

/** The calls about the media library. */
export function mediaOf(connection: Connection) {
  const createUpload = (body: NewUpload, options?: CallOptions) =>
    send<Upload>(connection, { ...options, method: 'POST', path: '/media/uploads', body })
  const complete = async (id: string, options?: CallOptions) =>
    send<Media>(
      connection,
      long({ ...options, method: 'POST', path: pathOf`/media/${id}/complete` }),
    )

  return {
    /** Ready files, newest first. */
    list: (query?: MediaQuery, options?: CallOptions) =>
      listAt<Media>(connection, '/media', query, options),
    get: async (id: string, options?: CallOptions) =>
      send<Media>(connection, { ...options, method: 'GET', path: pathOf`/media/${id}` }),
    /** Downloads a file from a public address into the library. */
    import: (body: NewImport, options?: CallOptions) =>
      send<Media>(connection, long({ ...options, method: 'POST', path: '/media/import', body })),
    /** The first of the three steps of an upload; `uploadFile` makes all of them. */
    createUpload,
    /** The last step of an upload, after the bytes were sent. */
    complete,
    /** Deletes a file for good, unless a post waits for it. */
    remove: async (id: string, options?: CallOptions) =>
      send<Deleted>(connection, { ...options, method: 'DELETE', path: pathOf`/media/${id}` }),
    /**
     * Uploads a file from a path of this machine, or from memory, and answers it ready for use. With the same
     * `idempotencyKey` it can be called again after a failure, and goes on with the same upload. Throws
     * `UploadFailed` when the storage does not take the bytes.
     */
    uploadFile: (file: FileToUpload, options?: CallOptions & { altText?: string }) =>
      uploadFile({ connection, createUpload, complete }, file, options),
  }
}

function long(call: Call): Call {
  return { ...call, leastTimeoutMs: LONG_MS }
}
