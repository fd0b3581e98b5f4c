import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from '@redocly/ajv'

const schemas = new URL('../../../docs/schemas/', import.meta.url)

const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: { 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) },
})

const checks = new Map(
  readdirSync(schemas).map((file) => {
    const schema = JSON.parse(readFileSync(new URL(file, schemas), 'utf8'))
    return [file.replace(/\.v\d+\.json$/, ''), ajv.compile(schema)] as const
  }),
)

/** What is wrong with the body of a public event, by its schema in `docs/schemas`; nothing when it is as documented. */
export function eventProblems(body: string): string[] {
  const event: unknown = JSON.parse(body)
  const { type } = event as { type: string }
  const check = checks.get(type)
  if (!check) return [`There is no schema of ${type}.`]
  if (check(event)) return []
  return (check.errors ?? []).map(
    ({ instancePath, message }) => `${type}${instancePath} ${message}`,
  )
}
