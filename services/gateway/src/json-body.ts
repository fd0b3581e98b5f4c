import { AppError } from '@herald/contracts/errors'
import { raw } from 'express'
import type { Middleware } from './locals.ts'

const MAX_BYTES = 256 * 1024
const MAX_DEPTH = 20
/** Names and list items together. The largest post that is accepted has less than half of them. */
const MAX_ENTRIES = 500

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Only JSON in UTF-8 is read. */
export const requireJson: Middleware = (request, _response, next) => {
  const type = request.headers['content-type'] ?? ''
  if (/^application\/json[ \t]*(;[ \t]*charset="?utf-8"?[ \t]*)?;?$/i.test(type.trim()))
    return next()
  throw new AppError('validation_failed', 'The body must be application/json in UTF-8.', {
    status: 415,
  })
}

/** The same where there need not be a body. */
export const requireJsonIfAny: Middleware = (request, response, next) => {
  const { 'content-length': length = '0', 'transfer-encoding': chunked } = request.headers
  if (chunked === undefined && Number(length) === 0) return next()
  return requireJson(request, response, next)
}

/** Reads the body as bytes, because Express's JSON reader would repair invalid UTF-8 in silence. */
export const readBytes = raw({ type: () => true, limit: MAX_BYTES })

/**
 * The object a body holds; with `isOptional` no body is an empty one. Throws 422 for everything that is not a JSON object
 * of sensible size.
 */
export function parseJsonBody(body: unknown, isOptional = false): object {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  if (isOptional && bytes.length === 0) return {}
  const value = parse(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('The body must be a JSON object.')
  if (isTooDeepOrLong(value))
    throw invalid('The body is nested too deeply or has too many entries.')
  return value
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw invalid('The body is not valid JSON.')
  }
}

/** Without recursion: it runs before anything else that depth could break. */
function isTooDeepOrLong(root: object): boolean {
  let entries = 0
  const open = [{ value: root, depth: 1 }]
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.depth > MAX_DEPTH) return true
    for (const value of Object.values(next.value)) {
      if (++entries > MAX_ENTRIES) return true
      if (typeof value === 'object' && value !== null) open.push({ value, depth: next.depth + 1 })
    }
  }
  return false
}

function invalid(message: string): AppError {
  return new AppError('validation_failed', message)
}
