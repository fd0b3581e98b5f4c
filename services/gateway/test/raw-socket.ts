import { connect, type Socket } from 'node:net'
import { expectDocumentedSomewhere } from '@herald/testing/openapi-check'

/** A connection on which a test writes bytes of its own. */
export function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  // A server that hangs up on broken bytes may do so by a reset.
  socket.on('error', () => undefined)
  return socket
}

/** Writes lines, waits until the server closes, and gives the answers. */
export async function exchange(url: string, lines: string[] | Buffer): Promise<Response[]> {
  const socket = openSocket(url)
  socket.write(Array.isArray(lines) ? lines.join('\r\n') : lines)
  return answersOn(socket)
}

/** The answers on a connection, once the server has closed it. */
export async function answersOn(socket: Socket): Promise<Response[]> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise((resolve) => socket.once('close', resolve))
  const answers = parseAnswers(Buffer.concat(chunks).toString('latin1'))
  for (const answer of answers) await expectDocumentedSomewhere(answer.clone())
  return answers
}

/** Splits by Content-Length, so that anything that is no whole answer throws. */
function parseAnswers(text: string): Response[] {
  if (text === '') return []
  const end = text.indexOf('\r\n\r\n')
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const at = line.indexOf(': ')
      return [line.slice(0, at), line.slice(at + 2)]
    }),
  )
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
  if (status === 100) return parseAnswers(text.slice(end + 4))
  const bodyEnd = end + 4 + Number(headers.get('content-length'))
  const body = text.slice(end + 4, bodyEnd)
  return [new Response(body, { status, headers }), ...parseAnswers(text.slice(bodyEnd))]
}
