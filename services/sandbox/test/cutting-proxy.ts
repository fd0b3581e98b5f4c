import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Passes connections on to a server, and cuts each after as many bytes of its request, until it is healed. */
export async function cuttingProxy(url: string, afterBytes: number) {
  const { hostname, port, pathname } = new URL(url)
  const sockets = new Set<Socket>()
  let isHealed = false
  const server = createServer((client) => {
    const target = connect(Number(port), hostname)
    let passed = 0
    for (const socket of [client, target]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        target.destroy()
      })
    }
    client.on('data', (chunk: Buffer) => {
      passed += chunk.length
      if (passed > afterBytes && !isHealed) client.resetAndDestroy()
      else target.write(chunk)
    })
    target.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}${pathname}`,
    heal: () => {
      isHealed = true
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
