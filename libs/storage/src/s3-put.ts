import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { StorageUnavailable } from './errors.ts'
import { exactly, streamOf } from './guarded-body.ts'
import { checkKey } from './key.ts'
import { presignPut } from './presign.ts'
import { transportOf, type S3Settings } from './s3-call.ts'
import type { Deadlines, PutInput } from './storage.ts'

/**
 * Writes an object in one request that streams. The client library's own upload would hold up to 64 MiB in memory, take
 * a short body for a whole one, and go on with parts that another upload of the key left behind.
 */
export async function s3Put(
  settings: S3Settings,
  key: string,
  body: Readable | Uint8Array,
  { contentType, contentLength, signal }: PutInput,
  deadlines: Deadlines,
): Promise<void> {
  const source = streamOf(body)
  let request: ClientRequest | undefined
  try {
    checkKey(key)
    signal?.throwIfAborted()
    const input = { key, contentType, contentLength, expiresSeconds: 3_600 }
    const { url, headers } = presignPut(settings.endpoint, settings.bucket, input, {
      credentials: settings,
      ifNoneMatch: false,
    })
    const transport = transportOf(new URL(url).protocol)
    request = transport.request(url, {
      method: 'PUT',
      headers,
      agent: transport.agent,
      ...(signal === undefined ? {} : { signal }),
    })
    const response = await exchange(request, source, contentLength, deadlines)
    if (response.statusCode !== 200) throw await refusal(response)
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    // Whatever ended the exchange early ends both sides of it.
    source.destroy()
    request?.on('error', () => {}).destroy()
  }
}

/** Sends the body and answers the response, which may come before the body is sent when the server refuses. */
async function exchange(
  request: ClientRequest,
  source: Readable,
  length: number,
  { idleMs, answerMs }: Deadlines,
): Promise<IncomingMessage> {
  let isSent = false
  const send = async () => {
    for await (const chunk of exactly(source, length, idleMs)) {
      if (!request.write(chunk)) await within(idleMs, request, once(request, 'drain'))
    }
    request.end()
    isSent = true
    return within(answerMs, request, answer)
  }
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', (error) =>
      reject(new StorageUnavailable(`The object store failed: ${error.message}`, { cause: error })),
    )
  })
  const response = await Promise.race([answer, send()])
  if (response.statusCode === 200 && !isSent) {
    throw new StorageUnavailable('The object store took a part of the body for the whole.')
  }
  return response
}

/** Ends a request when what is waited for takes longer than `ms`, which then fails. */
async function within<T>(ms: number, request: ClientRequest, waiting: Promise<T>): Promise<T> {
  const end = () => request.destroy(new Error(`The object store did nothing for ${ms} ms.`))
  const timer = setTimeout(end, ms)
  try {
    return await waiting
  } finally {
    clearTimeout(timer)
  }
}

async function refusal(response: IncomingMessage): Promise<StorageUnavailable> {
  const text = await startOf(response)
  const [, code = 'no reason'] = /<Code>(\w{1,100})<\/Code>/.exec(text) ?? []
  return new StorageUnavailable(`The object store answered ${response.statusCode}, ${code}.`)
}

/** The first bytes of a short answer; what there is when it is late or breaks off. */
async function startOf(response: IncomingMessage): Promise<string> {
  const timer = setTimeout(() => response.destroy(), 1_000)
  let text = ''
  try {
    for await (const chunk of response) {
      text += String(chunk)
      if (text.length > 4_096) break
    }
  } catch {
    // The status alone has to do.
  } finally {
    clearTimeout(timer)
  }
  return text
}
