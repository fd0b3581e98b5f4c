import { addAbortSignal } from 'node:stream'
import { guardedBody } from './guarded-body.ts'
import { checkKey } from './key.ts'
import { presignPut } from './presign.ts'
import { checkRange } from './range.ts'
import { s3Call, type S3Settings } from './s3-call.ts'
import { listObjects, readObject, statObject } from './s3-reads.ts'
import { s3Put } from './s3-put.ts'
import { DEADLINES, type Storage } from './storage.ts'

/** Objects in a bucket of an S3 server. `ensureBucket` makes the bucket when there is none. */
export type S3Storage = Storage & { ensureBucket(): Promise<void> }

/** Opens a bucket of an S3 server. Nothing is sent before the first call. */
export function createS3Storage(settings: S3Settings): S3Storage {
  const { bucket } = settings
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
      return statObject(settings, key, ms)
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
    ensureBucket: () => ensureBucket(settings, ms),
  }
}

async function ensureBucket(settings: S3Settings, ms: number): Promise<void> {
  const { bucket, region } = settings
  await s3Call(settings, { ms }, async (client) => {
    if (await client.bucketExists(bucket)) return
    try {
      await client.makeBucket(bucket, region)
    } catch (error) {
      // Another one may have made it just now.
      if (!(await client.bucketExists(bucket))) throw error
    }
  })
}
