import { existsSync, readFileSync } from 'node:fs'
import type { Json } from './sandbox.ts'
import type { Exchange } from './recording-proxy.ts'

/** Descriptions of the platforms that others wrote, where they lie beside the project. */
const FOLDER = new URL('../../../../shared/platforms/openapi/', import.meta.url)

export type Description = {
  /** What the description says against a call and its answer. */
  problems: (exchange: Exchange) => string[]
}

/**
 * The description of a platform, or why there is none: it is not part of the project, and neither are the parser and the
 * validator. `mend` corrects in it what is known to be wrong.
 */
export async function describedBy(
  file: string,
  mend: (document: Json) => void = () => undefined,
): Promise<Description | { reason: string }> {
  const path = new URL(file, FOLDER)
  if (!existsSync(path)) return { reason: `there is no ${file} beside the project` }
  const [yaml, ajv] = await Promise.all(['yaml', 'ajv'].map(load))
  if (!yaml || !ajv) return { reason: 'yaml or ajv is not installed' }
  const document = yaml.parse(readFileSync(path, 'utf8'), { uniqueKeys: false })
  mend(document)
  const Ajv = ajv.Ajv ?? ajv.default
  const validator = new Ajv({
    strict: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
  })
  validator.addSchema(document, 'document')
  return { problems: (exchange) => problemsOf(document, validator, exchange) }
}

async function load(name: string): Promise<Json> {
  return await import(name).catch(() => undefined)
}

function problemsOf(document: Json, validator: Json, exchange: Exchange): string[] {
  const { method, path, request, status, responseType, response } = exchange
  const template = Object.keys(document.paths).find((one) => matches(one, path))
  const verb = method.toLowerCase()
  const operation = template && document.paths[template][verb]
  if (!operation) return [`${method} ${path} is not described`]
  const at = `#/paths/${escaped(template)}/${verb}`
  const answer = operation.responses[status] ? String(status) : 'default'
  return [
    ...check(
      `${method} ${path} asks`,
      `${at}/requestBody`,
      operation.requestBody,
      'application/json',
      request,
    ),
    ...check(
      `${method} ${path} answers ${status}`,
      `${at}/responses/${answer}`,
      operation.responses[answer],
      responseType,
      response,
    ),
  ]

  function check(
    what: string,
    pointer: string,
    described: Json,
    type: string,
    value: unknown,
  ): string[] {
    if (value === undefined || !described?.content?.[type]?.schema) return []
    const $ref = `document${pointer}/content/${escaped(type)}/schema`
    const validate = validator.compile({ $ref })
    if (validate(value)) return []
    return validate.errors.map(
      (error: Json) =>
        `${what}: ${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
    )
  }
}

function matches(template: string, path: string): boolean {
  const pattern = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^{}]+\}/g, '[^/]+')
  return !template.includes('?') && new RegExp(`^${pattern}$`).test(path)
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}
