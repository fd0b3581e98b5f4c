import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { type Request, Router } from 'express'
import type { EdgeResponse, Middleware } from '../locals.ts'
import { openapiDocument } from '../openapi/document.ts'
import { DOCS_POLICY, DOCUMENT_PATH, docsPage } from './docs-page.ts'
import { refuseMethod } from './mount.ts'

/** Long enough for a slow line; whoever takes longer holds a file open for nothing. */
const SEND_WITHIN_MS = 300_000

// The package exports its modules, but not the one file that has everything in it.
const main = import.meta.resolve('@scalar/api-reference')
const SCRIPT_FILE = new URL('browser/standalone.js', main)
const { version } = JSON.parse(readFileSync(new URL('../package.json', main), 'utf8')) as {
  version: string
}
/** With the version in it, because browsers never ask for it again. */
const SCRIPT_PATH = `/docs/scalar-${version}.js`
const SCRIPT_ETAG = `"${version}"`

/** The document of the API for programs and for people. Neither asks for a key. */
export function docsRoutes(): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const document = Buffer.from(JSON.stringify(openapiDocument()))
  const page = Buffer.from(docsPage(SCRIPT_PATH))
  serve(router, DOCUMENT_PATH, (_request, response) => {
    sendBytes(response, 'application/json; charset=utf-8', document)
  })
  serve(router, '/docs', (_request, response) => {
    response.setHeader('Content-Security-Policy', DOCS_POLICY)
    response.setHeader('Referrer-Policy', 'no-referrer')
    sendBytes(response, 'text/html; charset=utf-8', page)
  })
  serve(
    router,
    SCRIPT_PATH,
    (request, response, next) => void sendScript(request, response).catch(next),
  )
  return router
}

function serve(router: Router, path: string, handle: Middleware): void {
  const refuse = refuseMethod(['GET'])
  const place = router.route(path)
  place.all((_request, response: EdgeResponse, next) => {
    response.locals.route = path
    next()
  })
  // Else Express would let GET answer.
  place.head(refuse)
  place.get(handle)
  place.all(refuse)
}

function sendBytes(response: EdgeResponse, type: string, bytes: Buffer): void {
  response.setHeader('Content-Type', type)
  response.setHeader('Content-Length', bytes.length)
  response.end(bytes)
}

/** Streams the file, so that many slow readers hold no copies of it. */
async function sendScript(request: Request, response: EdgeResponse): Promise<void> {
  await using file = await open(SCRIPT_FILE)
  const { size } = await file.stat()
  response.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
  response.setHeader('ETag', SCRIPT_ETAG)
  if (hasScript(request.headers['if-none-match'])) {
    response.statusCode = 304
    response.end()
    return
  }
  response.setHeader('Content-Type', 'text/javascript; charset=utf-8')
  response.setHeader('Content-Length', size)
  const signal = AbortSignal.timeout(SEND_WITHIN_MS)
  // What has begun cannot be answered otherwise: a reader who left or is too slow is cut off.
  await pipeline(file.createReadStream(), response, { signal }).catch(() => response.destroy())
}

function hasScript(ifNoneMatch: string | undefined): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags?.some((tag) => tag === '*' || tag === SCRIPT_ETAG) ?? false
}
