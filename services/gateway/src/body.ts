import { AppError } from '@herald/contracts/errors'
import type { IncomingMessage } from 'node:http'

const LARGEST_BODY = 256 * 1024
const DEEPEST = 20
const MOST_KEYS = 500

/** The JSON object in a request's body. 415 for another type, 413 when it is too large, 422 when it is not JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  requireJson(request)
  const text = decode(await readAll(request))
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid('The body is not valid JSON.', error)
  }
  requireReasonable(value)
  return value
}

function requireJson({ headers }: IncomingMessage): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  const encoding = headers['content-encoding'] ?? 'identity'
  if (type.trim() === 'application/json' && isUtf8 && encoding === 'identity') return
  throw new AppError('validation_failed', 'The body must be JSON in UTF-8, sent as application/json.', {
    status: 415,
  })
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = new AppError('validation_failed', 'The body is larger than 256 KB.', { status: 413 })
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY) throw tooLarge
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > LARGEST_BODY) throw tooLarge
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw invalid('The body is not valid UTF-8.', error)
  }
}

/** Refuses what is nested so deep or has so many fields that handling it could hurt. */
function requireReasonable(value: unknown): void {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw invalid('The body must be a JSON object.')
  let keys = 0
  const left: [unknown, number][] = [[value, 1]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [part, depth] = next
    if (part === null || typeof part !== 'object') continue
    const children = Object.values(part)
    if (!Array.isArray(part)) keys += children.length
    if (depth > DEEPEST || keys > MOST_KEYS)
      throw invalid('The body is nested too deep or has too many fields.')
    for (const child of children) left.push([child, depth + 1])
  }
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError('validation_failed', message, {
    details: { issues: [{ path: '', message }] },
    cause,
  })
}
