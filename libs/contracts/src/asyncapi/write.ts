import { mkdir, rm, writeFile } from 'node:fs/promises'
import { PUBLIC_EVENTS } from '../public-events.ts'
import { asyncapiDocument } from './document.ts'
import { eventSchema, schemaFile } from './event-schema.ts'

// `npm run asyncapi -w @herald/contracts`: writes the documents that a test compares with the contracts.
const docs = new URL('../../../../docs/', import.meta.url)
const schemas = new URL('schemas/', docs)

await writeFile(new URL('asyncapi.json', docs), textOf(asyncapiDocument()))
await rm(schemas, { recursive: true, force: true })
await mkdir(schemas)
for (const event of PUBLIC_EVENTS)
  await writeFile(new URL(schemaFile(event), schemas), textOf(eventSchema(event)))

function textOf(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`
}
