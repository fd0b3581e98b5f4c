import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { FileUnavailable } from '@herald/platforms/platform'

/** A file server that says nothing for this long is not there. */
const ANSWER_WITHIN_MS = 10_000
/** The whole of the largest file takes less, or the network is not fit for it. */
const WHOLE_WITHIN_MS = 240_000

/**
 * The bytes of a file from the media service's file server, checked while they pass: a reader gets exactly those that
 * were verified, or `FileUnavailable`. The last of them are given when all are found to be right, so that a platform which is
 * sent a broken file never gets the whole of it.
 */
export async function fetchFile(
  url: string,
  expected: { sizeBytes: number; sha256: string },
): Promise<Readable> {
  const given = new AbortController()
  const late = setTimeout(() => given.abort(new Error('No answer in time.')), ANSWER_WITHIN_MS)
  const response = await fetch(url, {
    redirect: 'error',
    headers: { 'accept-encoding': 'identity' },
    signal: AbortSignal.any([given.signal, AbortSignal.timeout(WHOLE_WITHIN_MS)]),
  })
    .catch((cause: unknown) => {
      throw new FileUnavailable('The file cannot be had right now.', { retryable: true, cause })
    })
    .finally(() => clearTimeout(late))
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel()
    throw response.status === 404
      ? new FileUnavailable('A file of the post is not there any more.', { retryable: false })
      : new FileUnavailable('The file cannot be had right now.', { retryable: true })
  }
  return Readable.from(checked(response.body, expected), { objectMode: false })
}

async function* checked(
  body: AsyncIterable<Uint8Array>,
  { sizeBytes, sha256 }: { sizeBytes: number; sha256: string },
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let size = 0
  let last: Uint8Array | undefined
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > sizeBytes) break
      hash.update(chunk)
      if (last) yield last
      last = chunk
    }
  } catch (cause) {
    throw new FileUnavailable('The file broke off.', { retryable: true, cause })
  }
  if (size !== sizeBytes || hash.digest('hex') !== sha256)
    throw new FileUnavailable('The file is not the one that was checked.', { retryable: true })
  if (last) yield last
}
