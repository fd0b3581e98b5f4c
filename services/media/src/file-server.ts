import type { Pool } from '@herald/event-store/database'
import { acrossOrganizations } from '@herald/event-store/organization'
import { runInContext } from '@herald/service/context'
import type { Logger } from '@herald/service/logger'
import type { Storage } from '@herald/storage/storage'
import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { pipeline } from 'node:stream/promises'
import express, { type Express, type Request, type Response } from 'express'

export type FileServerDeps = {
  pool: Pool
  storage: Storage
  logger: Logger
  /** Takes the bytes of uploads, where storage does not do that itself. */
  uploads?: RequestListener | undefined
}

type Served = {
  key: string
  mimeType: string
  sizeBytes: number | null
  etag: string
  fileName: string
}

/** Types that a browser may show in place; everything else is saved. */
const SHOWN = new Set([
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/gif',
  'video/mp4',
  'video/quicktime',
  'video/webm',
])

/** Whoever has the address of a file may have the file; nothing that it contains may do anything. */
const FIXED_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
  'Accept-Ranges': 'bytes',
}

/** How long a copy is good. A deleted file is gone from caches after an hour. */
const CACHE = 'public, max-age=3600'

/**
 * Serves the files of all organizations on an origin of their own: each at an address that nobody can guess, without
 * credentials and redirects, as the platforms need it that fetch files themselves.
 */
export function fileServer(deps: FileServerDeps): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }))
  app.use((request, response, next) => {
    for (const [name, value] of Object.entries(FIXED_HEADERS)) response.setHeader(name, value)
    runInContext({ requestId: randomUUID() }, next)
  })
  const { uploads } = deps
  if (uploads)
    app.use('/uploads', (request, response) => {
      request.url = request.originalUrl
      uploads(request, response)
    })
  app.get(['/files/:name', '/thumbnails/:name'], async (request, response) => {
    const served = await find(deps.pool, request.path.slice(1))
    if (!served) return refuse(response, 404)
    await serve(deps, served, request, response)
  })
  app.all(/.*/, (request, response) => {
    const isFile = /^\/(files|thumbnails)\//.test(request.path)
    if (isFile) response.setHeader('Allow', 'GET, HEAD')
    refuse(response, isFile ? 405 : 404)
  })
  app.use((error: unknown, _request: Request, response: Response, _next: unknown) => {
    deps.logger.warn({ error }, 'A file could not be served.')
    if (response.headersSent) return void response.destroy()
    response.setHeader('Retry-After', '1')
    refuse(response, 503)
  })
  return app
}

/** The file or thumbnail behind a key. A deleted file has no row, so its address is dead at once. */
async function find(pool: Pool, key: string): Promise<Served | undefined> {
  if (!/^(files|thumbnails)\/[a-z0-9]{1,64}\.[a-z0-9]{1,8}$/.test(key)) return undefined
  const isThumbnail = key.startsWith('thumbnails/')
  // Whoever has the address may have the file; no organization asks.
  const { rows } = await acrossOrganizations(pool).query<{
    mime_type: string
    size_bytes: number
    sha256: string
    file_name: string
  }>({
    name: isThumbnail ? 'find_thumbnail' : 'find_file',
    text: `select mime_type, size_bytes, sha256, file_name from media
           where ${isThumbnail ? 'thumbnail_key' : 'object_key'} = $1 and status = 'ready'`,
    values: [key],
  })
  const [row] = rows
  if (!row) return undefined
  if (!isThumbnail)
    return {
      key,
      mimeType: row.mime_type,
      sizeBytes: row.size_bytes,
      etag: `"${row.sha256}"`,
      fileName: row.file_name,
    }
  const mimeType = key.endsWith('.webp') ? 'image/webp' : 'image/jpeg'
  const ending = key.slice(key.lastIndexOf('.'))
  return {
    key,
    mimeType,
    sizeBytes: null,
    etag: `"t-${row.sha256}"`,
    fileName: `thumbnail${ending}`,
  }
}

async function serve(
  { storage }: FileServerDeps,
  served: Served,
  request: Request,
  response: Response,
): Promise<void> {
  const sizeBytes = served.sizeBytes ?? (await storage.head(served.key))?.sizeBytes
  if (sizeBytes === undefined) return refuse(response, 404)
  const isShown = SHOWN.has(served.mimeType)
  response.setHeader('Content-Type', served.mimeType)
  response.setHeader('Content-Disposition', disposition(isShown, served.fileName))
  response.setHeader('ETag', served.etag)
  response.setHeader('Cache-Control', CACHE)
  if (request.fresh) return void response.status(304).end()
  const range = rangeOf(request, sizeBytes, served.etag)
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${sizeBytes}`)
    return refuse(response, 416)
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes - 1 }
  response.status(range ? 206 : 200)
  if (range) response.setHeader('Content-Range', `bytes ${start}-${end}/${sizeBytes}`)
  response.setHeader('Content-Length', end - start + 1)
  if (request.method === 'HEAD') return void response.end()
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const body = await storage.get(served.key, range, gone.signal)
  // A reader that goes away in the middle is no failure.
  await pipeline(body, response).catch((error: unknown) => {
    if (!gone.signal.aborted) throw error
  })
}

type Range = { start: number; end: number }

/** The one range that is asked for. Several at once, and one of another version of the file, get the whole file. */
function rangeOf(
  request: Request,
  sizeBytes: number,
  etag: string,
): Range | 'unsatisfiable' | undefined {
  const condition = request.headers['if-range']
  if (condition !== undefined && condition !== etag) return undefined
  const ranges = request.range(sizeBytes)
  if (ranges === undefined || ranges === -2) return undefined
  if (ranges === -1) return 'unsatisfiable'
  const [only, ...others] = ranges
  return ranges.type === 'bytes' && only && others.length === 0 ? only : undefined
}

/** The name in plain ASCII for old readers and in full for all others (RFC 6266, RFC 5987). */
function disposition(isShown: boolean, fileName: string): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const full = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${isShown ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${full}`
}

const WORDS: Record<number, string> = {
  404: 'There is no such file.',
  405: 'Files can only be read.',
  416: 'The file has no such range.',
  503: 'The file cannot be had right now.',
}

function refuse(response: Response, status: number): void {
  const text = WORDS[status] ?? ''
  response.removeHeader('ETag')
  response.removeHeader('Content-Disposition')
  response.setHeader('Cache-Control', 'no-store')
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.status(status).end(text)
}
