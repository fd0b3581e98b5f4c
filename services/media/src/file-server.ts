import type { Pool } from '@herald/event-store/database'
import { acrossOrganizations } from '@herald/event-store/organization'
import { runInContext } from '@herald/service/context'
import type { Logger } from '@herald/service/logger'
import { StorageMissing } from '@herald/storage/errors'
import type { Storage } from '@herald/storage/storage'
import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { pipeline } from 'node:stream/promises'
import express, { type Express, type Request, type Response } from 'express'
import { rangeOf } from './byte-range.ts'

export type FileServerDeps = {
  pool: Pool
  storage: Storage
  logger: Logger
  /** Takes the bytes of uploads, where storage does not do that itself. */
  uploads?: RequestListener | undefined
  /** How long one upload may take. What is put after its window would be of no use, and nobody would remove it. */
  uploadWithinMs: number
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
  const { uploads, uploadWithinMs } = deps
  if (uploads)
    app.use('/uploads', (request, response) => {
      const late = setTimeout(() => request.destroy(new Error('It took too long.')), uploadWithinMs)
      response.once('close', () => clearTimeout(late))
      request.url = request.originalUrl
      uploads(request, response)
    })
  // Nothing of an address is decoded: the characters of a key stand for themselves.
  app.get(
    /^\/(?:files|thumbnails|renditions)\/[a-z0-9]{1,64}\.[a-z0-9]{1,8}$/,
    async (request, response) => {
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      const served = await find(deps.pool, request.path.slice(1))
      if (!served) return refuse(response, 404)
      await serve(deps.storage, served, { request, response, signal: gone.signal })
    },
  )
  app.all(/.*/, (request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead || !/^\/(files|thumbnails|renditions)\//.test(request.path))
      return refuse(response, 404)
    response.setHeader('Allow', 'GET, HEAD')
    refuse(response, 405)
  })
  app.use((error: unknown, _request: Request, response: Response, _next: unknown) => {
    const isMissing = error instanceof StorageMissing
    // It was deleted a moment ago, or its bytes are lost, which is for somebody to look at.
    if (isMissing) deps.logger.error({ error }, 'A file is not in storage.')
    else deps.logger.warn({ error }, 'A file could not be served.')
    if (response.headersSent) return void response.destroy()
    if (!isMissing) response.setHeader('Retry-After', '1')
    refuse(response, isMissing ? 404 : 503)
  })
  return app
}

/** The file or picture of a file behind a key. A deleted file has no row, so its addresses are dead at once. */
async function find(pool: Pool, key: string): Promise<Served | undefined> {
  const [folder = ''] = key.split('/', 1)
  // Whoever has the address may have the file; no organization asks.
  const { rows } = await acrossOrganizations(pool).query<Omit<Served, 'key'>>({
    name: `find_${folder}`,
    text: FIND[folder] ?? '',
    values: [key],
  })
  return rows[0] && { ...rows[0], key }
}

/** `$1` is the key. */
const FIND: Record<string, string> = {
  files: `select mime_type as "mimeType", size_bytes as "sizeBytes", '"' || sha256 || '"' as etag,
            file_name as "fileName"
          from media where object_key = $1 and status = 'ready'`,
  thumbnails: `select case when $1::text like '%.webp' then 'image/webp' else 'image/jpeg' end as "mimeType",
                 null as "sizeBytes", '"t-' || sha256 || '"' as etag,
                 'thumbnail' || substring($1::text from '[.].*$') as "fileName"
               from media where thumbnail_key = $1 and status = 'ready'`,
  // What is behind such a key never changes, so the key says which version it is.
  renditions: `select mime_type as "mimeType", size_bytes as "sizeBytes",
                 '"' || substring($1::text from '[a-f0-9]{40}') || '"' as etag,
                 'picture' || substring($1::text from '[.].*$') as "fileName"
               from renditions where object_key = $1`,
}

type Exchange = { request: Request; response: Response; signal: AbortSignal }

async function serve(
  storage: Storage,
  served: Served,
  { request, response, signal }: Exchange,
): Promise<void> {
  const sizeBytes = served.sizeBytes ?? (await storage.head(served.key))?.sizeBytes
  if (sizeBytes === undefined) return refuse(response, 404)
  const isShown = SHOWN.has(served.mimeType)
  response.setHeader('Content-Type', served.mimeType)
  response.setHeader('Content-Disposition', disposition(isShown, served.fileName))
  response.setHeader('ETag', served.etag)
  response.setHeader('Cache-Control', CACHE)
  if (request.fresh) return void response.status(304).end()
  const range = isOfThisVersion(request, served.etag)
    ? rangeOf(request.headers.range, sizeBytes)
    : undefined
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${sizeBytes}`)
    return refuse(response, 416)
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes - 1 }
  response.status(range ? 206 : 200)
  if (range) response.setHeader('Content-Range', `bytes ${start}-${end}/${sizeBytes}`)
  response.setHeader('Content-Length', end - start + 1)
  if (request.method === 'HEAD') return void response.end()
  try {
    await pipeline(await storage.get(served.key, range, signal), response)
  } catch (error) {
    // A reader that goes away in the middle is no failure.
    if (!signal.aborted) throw error
  }
}

/** Whether a part of the file is wanted (RFC 9110: by GET only) and, if so, of the file as it is. */
function isOfThisVersion({ method, headers }: Request, etag: string): boolean {
  const { 'if-range': condition = etag } = headers
  return method === 'GET' && condition === etag
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
  const ofFile = ['ETag', 'Content-Disposition']
  if (status !== 416) ofFile.push('Content-Range')
  for (const name of ofFile) response.removeHeader(name)
  response.setHeader('Cache-Control', 'no-store')
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.setHeader('Content-Length', Buffer.byteLength(text))
  response.status(status).end(text)
}
