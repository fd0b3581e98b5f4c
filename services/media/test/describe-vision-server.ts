import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

export const KEY = 'sk-test-0123456789abcdef'
export const MODEL = 'looker-1'

/** What the endpoint takes; anything else is a 400. */
const Question = z.object({
  model: z.literal(MODEL),
  max_tokens: z.int().min(1).max(500),
  messages: z.tuple([
    z.object({ role: z.literal('system'), content: z.string().min(1) }),
    z.object({
      role: z.literal('user'),
      content: z.tuple([
        z.object({ type: z.literal('text'), text: z.string() }),
        z.object({
          type: z.literal('image_url'),
          image_url: z.object({
            url: z.string().regex(/^data:image\/(png|jpeg|webp|gif);base64,[\d+/A-Za-z]+={0,2}$/),
          }),
        }),
      ]),
    }),
  ]),
})

export type Asked = { image: Buffer; mimeType: string; text: string }
/** Answers a right question, or takes the response into its own hands and answers nothing. */
type Script = (response: ServerResponse) => Answer | undefined
type Answer = { status?: number; headers?: Record<string, string>; body: string }

/** An answer of the endpoint with this text of the model. */
export function completion(content: unknown): Answer {
  const message = { role: 'assistant', content }
  const choices = [{ index: 0, finish_reason: 'stop', message }]
  const head = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: MODEL }
  return { body: JSON.stringify({ ...head, choices, usage: { total_tokens: 1 } }) }
}

/**
 * A stand-in of an OpenAI-compatible endpoint. It refuses, as the real one does and quoting the key, what breaks the
 * contract; what keeps it is answered by the script.
 */
export async function visionServer(script: Script = () => completion('A cat.')) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const refusal = refusalOf(request)
    if (refusal) return send(response, refusal)
    const question = Question.safeParse(JSON.parse(Buffer.concat(chunks).toString()))
    if (!question.success) return send(response, { status: 400, body: question.error.message })
    asked.push(askedOf(question.data))
    const scripted = script(response)
    if (scripted) send(response, scripted)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function refusalOf({ method, url, headers }: IncomingMessage): Answer | undefined {
  if (url !== '/v1/chat/completions') return { status: 404, body: 'Unknown path.' }
  if (method !== 'POST') return { status: 405, body: 'POST it.' }
  if (headers['content-type'] !== 'application/json') return { status: 415, body: 'Not JSON.' }
  if (headers.authorization !== `Bearer ${KEY}`)
    return { status: 401, body: `Incorrect API key provided: ${headers.authorization}` }
  return undefined
}

function askedOf({ messages: [, { content }] }: z.output<typeof Question>): Asked {
  const [{ text }, { image_url }] = content
  const [head = '', data = ''] = image_url.url.split(';base64,')
  return { text, mimeType: head.slice('data:'.length), image: Buffer.from(data, 'base64') }
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}
