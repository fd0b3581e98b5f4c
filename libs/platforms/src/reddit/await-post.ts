import { z } from 'zod'
import { readJson } from '../read-json.ts'

/** How long a commit waits for Reddit to make the post; later it is looked up. */
const PATIENCE_MS = 10_000

const News = z.discriminatedUnion('type', [
  z.object({ type: z.literal('success'), payload: z.object({ redirect: z.string() }) }),
  z.object({ type: z.literal('failed') }),
])
/** What became of a post that Reddit makes in its own time. */
export type News = z.infer<typeof News> | { type: 'none' }

const NONE: News = { type: 'none' }

/**
 * Waits at the websocket that Reddit named for what becomes of a post with a file. There is no news when the socket
 * breaks, says nothing in time, or cannot be opened. Never rejects.
 */
export function awaitPost(address: string, signal: AbortSignal): Promise<News> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
  return new Promise((resolve) => {
    const socket = open(address)
    if (!socket || stop.aborted) {
      socket?.close()
      return resolve(NONE)
    }
    const end = (news: News) => {
      resolve(news)
      stop.removeEventListener('abort', giveUp)
      socket.close()
    }
    const giveUp = () => end(NONE)
    stop.addEventListener('abort', giveUp)
    socket.addEventListener('error', giveUp)
    socket.addEventListener('close', giveUp)
    socket.addEventListener('message', ({ data }) => {
      const news = readJson(News, String(data))
      if (news) end(news)
    })
  })
}

function open(address: string): WebSocket | undefined {
  try {
    return new WebSocket(address)
  } catch {
    return undefined
  }
}
