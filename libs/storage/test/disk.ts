import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fastFolder, temporaryFolder } from '@herald/testing/temporary-folder'
import { createDiskStorage, type DiskSettings, type DiskStorage } from '../src/disk-storage.ts'

const access = { accessKey: 'herald', secretKey: 'only for tests', bucket: 'media' }

/** A storage folder of its own, whose uploads are served under a path of a server of its own. */
export async function testDisk() {
  const folder = temporaryFolder(fastFolder())
  let baseUrl = ''
  const errors: unknown[] = []
  const open = (settings: Partial<DiskSettings> = {}): DiskStorage =>
    createDiskStorage({
      folder: folder.path,
      publicUrl: () => baseUrl,
      onError: (error) => errors.push(error),
      ...access,
      ...settings,
    })
  const served = { storage: open() }
  const server = createServer((request, response) => {
    served.storage.handleUpload(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  baseUrl = `http://127.0.0.1:${port}/uploads/`
  return {
    folder: folder.path,
    open,
    /** The storage whose uploads are served. */
    served,
    /** What the folder failed with while it took uploads. */
    errors,
    port,
    signing: {
      endpoint: baseUrl,
      bucket: access.bucket,
      credentials: { ...access, region: 'local' },
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      folder[Symbol.dispose]()
    },
  }
}
