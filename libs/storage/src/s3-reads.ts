import { IncomingMessage } from 'node:http'
import type { Client } from 'minio'
import { StorageMissing } from './errors.ts'
import { checkPrefix } from './key.ts'
import { s3Call, type S3Settings } from './s3-call.ts'
import type { ByteRange } from './storage.ts'

const PAGE_SIZE = 1_000

/** Size and version of an object; undefined when there is none. */
export async function statObject(
  settings: S3Settings,
  key: string,
  ms: number,
): Promise<{ sizeBytes: number; etag: string } | undefined> {
  try {
    return await s3Call(settings, { key, ms }, async (client) => {
      const { size, etag } = await client.statObject(settings.bucket, key)
      if (!Number.isSafeInteger(size)) throw new Error('It tells no size.')
      return { sizeBytes: size, etag }
    })
  } catch (error) {
    if (error instanceof StorageMissing) return undefined
    throw error
  }
}

/** Starts to read an object; `length` is how many bytes must come. Throws when the server does not tell it. */
export async function readObject(
  client: Client,
  bucket: string,
  key: string,
  range: ByteRange | undefined,
): Promise<{ stream: IncomingMessage; length: number }> {
  const stream =
    range === undefined
      ? await client.getObject(bucket, key)
      : await client.getPartialObject(bucket, key, range.start, range.end - range.start + 1)
  try {
    // The client library answers the response itself, but only says that it is a stream.
    if (!(stream instanceof IncomingMessage)) throw new Error('There is no response.')
    return { stream, length: lengthOf(stream, range) }
  } catch (error) {
    stream.on('error', () => {}).destroy()
    throw error
  }
}

function lengthOf({ headers }: IncomingMessage, range: ByteRange | undefined): number {
  const length = Number.parseInt(headers['content-length'] ?? '', 10)
  if (!Number.isSafeInteger(length)) throw new Error('It tells no length.')
  if (range === undefined) return length
  const contentRange = headers['content-range'] ?? ''
  const [, start, end] = /^bytes (\d+)-(\d+)\//.exec(contentRange) ?? []
  const isAsked =
    Number(start) === range.start &&
    Number(end) <= range.end &&
    Number(end) - range.start + 1 === length
  if (!isAsked) throw new Error(`It answers the range "${contentRange}" of ${length} bytes.`)
  return length
}

/** All objects whose key starts with `prefix`, asked for page by page as they are read. */
export async function* listObjects(settings: S3Settings, prefix: string, ms: number) {
  checkPrefix(prefix)
  let token = ''
  do {
    const page = await s3Call(settings, { ms }, (client) =>
      listPage(client, settings, prefix, token),
    )
    yield* page.objects
    token = page.nextToken
  } while (token !== '')
}

async function listPage(client: Client, { bucket }: S3Settings, prefix: string, token: string) {
  const page = await client.listObjectsV2Query(bucket, prefix, token, '', PAGE_SIZE, '')
  const nextToken = page.isTruncated ? page.nextContinuationToken : ''
  if (page.isTruncated && (nextToken === '' || nextToken === token)) {
    throw new Error('It does not tell where its list goes on.')
  }
  const objects = page.objects.flatMap(({ name, size, lastModified }) =>
    name === undefined
      ? []
      : [{ key: name, sizeBytes: size, modifiedAt: lastModified.toISOString() }],
  )
  return { objects, nextToken }
}
