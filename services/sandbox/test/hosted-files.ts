import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MediaType, PublishFile } from '@herald/platforms/platform'
import { aFile } from './publish-file.ts'

/** A server of files for platforms that fetch them, which keeps what was asked for. */
export async function hostedFiles() {
  const files = new Map<string, { bytes: Buffer; mimeType: string }>()
  const fetched: string[] = []
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1)
    fetched.push(name)
    const file = files.get(name)
    if (!file) return void response.writeHead(404).end()
    response.writeHead(200, {
      'content-type': file.mimeType,
      'content-length': file.bytes.length,
    })
    response.end(file.bytes)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const host = (name: string, bytes: Buffer, mimeType: string) => {
    files.set(name, { bytes, mimeType })
    return `${url}/${name}`
  }
  return {
    fetched,
    host,
    /** Nobody finds the file any more. */
    remove: (name: string) => files.delete(name),
    /** A file of a post at an address of this server. A picture is hosted as these bytes, whatever it is to fit into. */
    file: (
      id: string,
      type: MediaType,
      bytes: Buffer,
      more: Partial<PublishFile> = {},
    ): PublishFile => {
      const mimeType = type === 'video' ? 'video/mp4' : 'image/jpeg'
      const address = host(id, bytes, mimeType)
      return aFile(id, type, bytes, {
        mimeType,
        url: address,
        imageUrl: async () => ({ url: address, mimeType, width: 40, height: 30 }),
        ...more,
      })
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
