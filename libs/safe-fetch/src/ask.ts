import * as http from 'node:http'
import type { Socket } from 'node:net'
import { DownloadRefused, refusalOf } from './download-refused.ts'

const MAX_HEADER_BYTES = 16_384
/** Answers as `103 Early Hints` that may precede the real one. */
const MAX_INTERIM_ANSWERS = 8

/** Everything that a stranger's server is told. No header of ours, no cookie and no referrer is among it. */
function headersFor(url: URL): http.OutgoingHttpHeaders {
  return { host: url.host, 'user-agent': 'Herald', accept: '*/*', 'accept-encoding': 'identity' }
}

/** Asks for a file on an open connection and answers the head of the reply. The body has to be read or destroyed. */
export async function ask(
  socket: Socket,
  url: URL,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  try {
    return await new Promise((resolve, reject) => {
      const outgoing = requestOn(socket, url)
      outgoing.on('response', resolve)
      outgoing.on('error', reject)
      outgoing.on('close', () => reject(new Error('The connection was closed without an answer.')))
      outgoing.end()
    })
  } catch (error) {
    socket.destroy()
    throw refusalOf(error, 'no_answer', signal)
  }
}

function requestOn(socket: Socket, url: URL): http.ClientRequest {
  // With a connection of its own a request has no agent, so nothing is pooled and no proxy of the environment is used.
  const outgoing = http.request({
    createConnection: () => socket,
    path: `${url.pathname}${url.search}`,
    headers: headersFor(url),
    maxHeaderSize: MAX_HEADER_BYTES,
  })
  let interimAnswers = 0
  outgoing.on('information', () => {
    if (++interimAnswers <= MAX_INTERIM_ANSWERS) return
    outgoing.destroy(new DownloadRefused('too_many_interim_answers'))
  })
  return outgoing
}
