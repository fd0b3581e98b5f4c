import { writeFile } from 'node:fs/promises'
import { openapiDocument } from './document.ts'

// `npm run openapi -w @herald/gateway-service`: writes the document that a test compares with the contract.
const file = new URL('../../../../docs/openapi.json', import.meta.url)
await writeFile(file, `${JSON.stringify(openapiDocument(), null, 2)}\n`)
