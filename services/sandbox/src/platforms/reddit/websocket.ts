import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { permalink, type Reddit } from './server.ts'

/** How often it is looked whether the sandbox's clock has reached the moment of a post. */
const EVERY_MS = 25

/** The websocket of an uploaded file: it tells once what became of the post that has it. */
export function openWebsockets(reddit: Reddit) {
  const server = new WebSocketServer({ noServer: true })
  return (path: string, request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const assetId = /^\/ws\/([a-z0-9]+)$/.exec(path)?.[1]
    if (assetId === undefined || !reddit.state.leases.has(assetId)) return void socket.destroy()
    server.handleUpgrade(request, socket, head, (client) => tell(reddit, assetId, client))
  }
}

function tell(reddit: Reddit, assetId: string, client: WebSocket): void {
  const timer = setInterval(() => {
    const post = [...reddit.state.posts.values()].find(({ assetIds }) => assetIds[0] === assetId)
    if (!post || post.readyAt > reddit.now()) return
    const redirect = `${reddit.baseUrl()}${permalink(post)}`
    const news = post.isBroken
      ? { type: 'failed', payload: {} }
      : { type: 'success', payload: { redirect } }
    clearInterval(timer)
    client.send(JSON.stringify(news))
    client.close()
  }, EVERY_MS)
  client.on('close', () => clearInterval(timer))
  client.on('error', () => client.terminate())
}
