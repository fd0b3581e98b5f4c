import type { Readable } from 'node:stream'

/**
 * Where the bytes of media are kept: an S3 server or a folder. Keys are checked by every function (see `key.ts`).
 * Every function throws `StorageUnavailable` when the store does not do its part in time, and none tries again.
 */
export type Storage = {
  /**
   * An address that takes one PUT of exactly this many bytes of exactly this type until `expiresAt`. `headers` must be
   * sent as given.
   */
  presignPut: (input: PresignPut) => Promise<PresignedPut>
  /** Size and version of an object; undefined when there is none. `etag` changes with the content and means no more. */
  head: (key: string) => Promise<{ sizeBytes: number; etag: string } | undefined>
  /**
   * The bytes of an object, or of a part of it, which is cut at the end of the object. The stream fails with
   * `StorageUnavailable` when it is cut short or nothing comes for the idle deadline. Throws `StorageMissing` when there
   * is no such object and `RangeError` when the range starts behind its end.
   */
  get: (key: string, range?: ByteRange, signal?: AbortSignal) => Promise<Readable>
  /**
   * Writes a whole object, over any that is there. It appears at once and complete, and lasts from when this returns.
   * The body is used up or destroyed in any case. Throws what the body throws, `BodyStalled` when it gives nothing for
   * the idle deadline, and `WrongLength` when it has more or less bytes than announced; nothing is stored then. After
   * `StorageUnavailable` the object may be there; the same put may be repeated.
   */
  put: (key: string, body: Readable | Uint8Array, input: PutInput) => Promise<void>
  /** Copies an object, over any that is there. Throws `StorageMissing` when there is none to copy. */
  copy: (from: string, to: string) => Promise<void>
  /** Removes an object; fine when there is none. */
  delete: (key: string) => Promise<void>
  /** All objects whose key starts with `prefix`, in no promised order. `modifiedAt` is ISO 8601. */
  list: (prefix: string) => AsyncIterable<{ key: string; sizeBytes: number; modifiedAt: string }>
  /** Whether objects can be reached right now. Never throws. */
  isReady: () => Promise<boolean>
}

export type ByteRange = {
  start: number
  /** The last byte, which belongs to the range. */ end: number
}

export type PutInput = { contentType: string; contentLength: number; signal?: AbortSignal }

export type PresignPut = {
  key: string
  contentType: string
  contentLength: number
  expiresSeconds: number
}

export type PresignedPut = { url: string; headers: Record<string, string>; expiresAt: string }

/** How long the parts of a call may take. */
export type Deadlines = {
  /** From the request, or the last byte of its body, to the answer. */
  answerMs: number
  /** Between one piece of a body and the next. */
  idleMs: number
  /** For a copy, which a store may make byte by byte. */
  copyMs: number
}

export const DEADLINES: Deadlines = { answerMs: 10_000, idleMs: 30_000, copyMs: 60_000 }
