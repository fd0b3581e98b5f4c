import { request } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PresignedPut } from '../src/storage.ts'

export type Sent = { method?: string; headers?: Record<string, string>; path?: string }

/** What a server answered: the status, and the code of the error in the body. */
export type Answer = { status: number; code: string }

/**
 * Sends a request exactly as given: the path is not tidied up, and without a Content-Length the body goes in chunks.
 * Rejects when the server hangs up without an answer.
 */
export function send(url: string, body: Buffer | Readable, sent: Sent = {}): Promise<Answer> {
  const { hostname, port, pathname, search } = new URL(url)
  const { method = 'PUT', headers = {}, path = `${pathname}${search}` } = sent
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { hostname, port, method, path, headers, agent: false },
      (response) => {
        let text = ''
        response.on('data', (chunk) => (text += String(chunk)))
        response.on('error', reject)
        response.on('end', () => {
          const [, code = ''] = /<Code>(\w+)<\/Code>/.exec(text) ?? []
          resolve({ status: response.statusCode ?? 0, code })
        })
      },
    )
    outgoing.on('error', reject)
    if (!Buffer.isBuffer(body)) pipeline(body, outgoing).catch(reject)
    // Written before the end, so that Node does not work out a length by itself.
    else if (body.length > 0 && headers['Content-Length'] === undefined) {
      outgoing.write(body)
      outgoing.end()
    } else outgoing.end(body)
  })
}

/** Sends a body to a presigned address in the way that it is meant. */
export function sendAsTold({ url, headers }: PresignedPut, body: Buffer): Promise<Answer> {
  return send(url, body, { headers })
}
