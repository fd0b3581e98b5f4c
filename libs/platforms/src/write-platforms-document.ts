import { writeFile } from 'node:fs/promises'
import { platformsDocument } from './platforms-document.ts'

// `node libs/platforms/src/write-platforms-document.ts`: writes the page that a test compares with the rules.
const file = new URL('../../../docs/platforms.md', import.meta.url)
await writeFile(file, platformsDocument())
