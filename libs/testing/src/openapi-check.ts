import {
  type DocumentedHeader,
  type DocumentedOperation,
  type DocumentedResponse,
  readOpenapiDocument,
  schemaProblems,
} from './openapi-document.ts'

const PREFIX = '/v1'
/** Served beside the API, and so not in its document. */
const BESIDE = /^\/(healthz|readyz|docs|v1\/openapi\.json)(\/|$)/
/** Headers of HTTP itself. */
const PLUMBING = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive'])
/** What a request can get that reaches no operation. */
const UNREACHED = new Set([400, 401, 403, 404, 405, 408, 417, 429, 431, 500, 503])

const document = readOpenapiDocument()
const operations = Object.values(document.paths).flatMap((item) => Object.values(item))

/** Asks the API at an origin, and throws unless its document describes the answer. */
export async function fetchDocumented(
  origin: string,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const response = await fetch(origin + path, init)
  await expectDocumented(init.method ?? 'GET', path, response.clone())
  return response
}

/** A `fetch` that holds each answer of the API at an origin to its document; what goes elsewhere passes by. */
export function documentedFetch(origin: string): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const request =
      input instanceof Request ? input : new Request(input, { method: init?.method ?? 'GET' })
    const url = new URL(request.url)
    if (url.origin === origin)
      await expectDocumented(request.method, url.pathname + url.search, response.clone())
    return response
  }
}

/**
 * Throws unless the document of the API describes the answer: its status, its headers and its body. An answer to what
 * is in no document must be one that any request can get. Reads the response, so give it a clone.
 */
export async function expectDocumented(
  method: string,
  path: string,
  response: Response,
): Promise<void> {
  const { pathname } = new URL(`http://gateway${path}`)
  if (BESIDE.test(pathname)) return
  const problems = await problemsBy(candidates(method, pathname, response.status), method, response)
  if (problems.length > 0)
    throw new Error(
      [`${method} ${pathname} ${response.status} is not as documented:`, ...problems].join('\n- '),
    )
}

/** The same for an answer to a request that is not known: some operation must describe it. */
export async function expectDocumentedSomewhere(response: Response): Promise<void> {
  const bodyless = (await response.clone().text()) === ''
  const found = operations.flatMap(({ responses }) => responses[response.status] ?? [])
  const problems = await Promise.all(
    found.map((one) => problemsBy(one, bodyless ? 'HEAD' : 'GET', response.clone())),
  )
  if (!problems.some((ofOne) => ofOne.length === 0))
    throw new Error(
      [`${response.status} is as documented nowhere:`, ...(problems[0] ?? [])].join('\n- '),
    )
}

function candidates(
  method: string,
  pathname: string,
  status: number,
): DocumentedResponse | undefined {
  const item = pathItem(pathname)
  const operation = item?.[method.toLowerCase()]
  if (operation) return operation.responses[status]
  if (!UNREACHED.has(status) || (status === 405 && !item)) return undefined
  return operations.find(({ responses }) => status in responses)?.responses[status]
}

function pathItem(pathname: string): Record<string, DocumentedOperation> | undefined {
  if (!pathname.startsWith(`${PREFIX}/`)) return undefined
  const path = pathname.slice(PREFIX.length)
  const template = Object.keys(document.paths).find((one) =>
    new RegExp(`^${one.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
  return document.paths[path] ?? (template === undefined ? undefined : document.paths[template])
}

async function problemsBy(
  documented: DocumentedResponse | undefined,
  method: string,
  response: Response,
): Promise<string[]> {
  if (!documented) return ['the status is not documented']
  return [
    ...headerProblems(documented.headers ?? {}, response.headers),
    ...(await bodyProblems(documented, method, response)),
  ]
}

function headerProblems(documented: Record<string, DocumentedHeader>, headers: Headers): string[] {
  const byName = new Map(Object.entries(documented).map(([name, it]) => [name.toLowerCase(), it]))
  const missing = [...byName]
    .filter(([name, { required }]) => required && !headers.has(name))
    .map(([name]) => `the header ${name} is missing`)
  const wrong = [...headers]
    .filter(([name]) => !PLUMBING.has(name))
    .flatMap(([name, value]) => {
      const schema = byName.get(name)?.schema
      if (!schema) return [`the header ${name} is not documented`]
      const read = schema.type === 'integer' ? Number(value) : value
      return schemaProblems(document, schema, read).map((problem) => `the header ${name}${problem}`)
    })
  return [...missing, ...wrong]
}

async function bodyProblems(
  { content }: DocumentedResponse,
  method: string,
  response: Response,
): Promise<string[]> {
  const text = await response.text()
  if (!content || method === 'HEAD') return text === '' ? [] : ['there is a body']
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
  const body = content[type]
  if (!body) return [`the content type ${type} is not documented`]
  return schemaProblems(document, body.schema, JSON.parse(text))
}
