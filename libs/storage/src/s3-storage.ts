import { addAbortSignal } from 'node:stream'
import { StorageMissing } from './errors.ts'
import { guardedBody } from './guarded-body.ts'
import { checkKey, checkPrefix } from './key.ts'
import { presignPut } from './presign.ts'
import { checkRange } from './range.ts'
import { s3Call, type S3Settings } from './s3-call.ts'
import { listObjects, readObject } from './s3-reads.ts'
import { s3Put } from './s3-put.ts'
import { DEADLINES, type Storage } from './storage.ts'

/** Objects in a bucket of an S3 server. `ensureBucket` makes the bucket when there is none. */
export type S3Storage = Storage & { ensureBucket(): Promise<void> }

/** Opens a bucket of an S3 server. Nothing is sent before the first call. */
export function createS3Storage(settings: S3Settings): S3Storage {
  const { bucket, region } = settings
  const deadlines = { ...DEADLINES, ...settings.deadlines }
  const ms = deadlines.answerMs
  return {
    async presignPut(input) {
      checkKey(input.key)
      const endpoint = settings.publicEndpoint ?? settings.endpoint
      const ifNoneMatch = settings.ifNoneMatch ?? true
      return presignPut(endpoint, bucket, input, { credentials: settings, ifNoneMatch })
    },
    async head(key) {
      checkKey(key)
      try {
        return await s3Call(settings, { key, ms }, async (client) => {
          const { size, etag } = await client.statObject(bucket, key)
          if (!Number.isSafeInteger(size)) throw new Error('It tells no size.')
          return { sizeBytes: size, etag }
        })
      } catch (error) {
        if (error instanceof StorageMissing) return undefined
        throw error
      }
    },
    async get(key, range, signal) {
      checkKey(key)
      if (range !== undefined) checkRange(range)
      const body = await s3Call(settings, { key, ms, signal }, (client) =>
        readObject(client, bucket, key, range),
      )
      const guarded = guardedBody(body.stream, body.length, deadlines.idleMs)
      return signal === undefined ? guarded : addAbortSignal(signal, guarded)
    },
    async put(key, body, input) {
      checkKey(key)
      await s3Put(settings, key, body, input, deadlines)
    },
    async copy(from, to) {
      checkKey(from)
      checkKey(to)
      await s3Call(settings, { key: from, ms: deadlines.copyMs }, (client) =>
        client.copyObject(bucket, to, `/${bucket}/${from}`),
      )
    },
    async delete(key) {
      checkKey(key)
      await s3Call(settings, { ms }, (client) => client.removeObject(bucket, key))
    },
    list: (prefix) => listObjects(settings, prefix, ms),
    async isReady() {
      try {
        return await s3Call(settings, { ms }, (client) => client.bucketExists(bucket))
      } catch {
        return false
      }
    },
    async ensureBucket() {
      await s3Call(settings, { ms }, async (client) => {
        if (await client.bucketExists(bucket)) return
        try {
          await client.makeBucket(bucket, region)
        } catch (error) {
          // Another one may have made it just now.
          if (!(await client.bucketExists(bucket))) throw error
        }
      })
    },
  }
}
