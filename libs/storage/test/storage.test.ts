import { afterAll, beforeAll, describe } from 'vitest'
import { testS3 } from '@herald/testing/s3'
import { createS3Storage } from '../src/s3-storage.ts'
import type { Deadlines } from '../src/storage.ts'
import { testDisk } from './disk.ts'
import { storageContract } from './storage-contract.ts'
import { uploadContract } from './upload-contract.ts'

// A server may have to be built first, which takes longer than a test may: so here and not in a hook.
const s3 = await testS3()
const isMissing = typeof s3 === 'string'
const server = isMissing ? { name: 'none', ...noServer() } : s3
const disk = await testDisk()
process.stderr.write(`Storage tests run on: the disk; S3: ${server.name}\n`)

afterAll(async () => {
  await disk[Symbol.asyncDispose]()
  if (!isMissing) await s3[Symbol.asyncDispose]()
})

describe('a folder', () => {
  storageContract((deadlines) => disk.open({ deadlines }))
  uploadContract({ storage: disk.open(), ...disk.signing })
})

describe.skipIf(isMissing)(`an S3 server${isMissing ? ` (${s3})` : ''}`, () => {
  const open = (deadlines?: Partial<Deadlines>) => createS3Storage({ ...server, deadlines })
  beforeAll(() => open().ensureBucket())
  storageContract(open)
  uploadContract({ storage: open(), credentials: server, ...server })
})

function noServer() {
  const access = { accessKey: 'none', secretKey: 'none', region: 'none', bucket: 'none' }
  return { endpoint: 'http://127.0.0.1:9', ...access }
}
