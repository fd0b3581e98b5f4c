import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { RunFile } from '@herald/local/run-file'

/** The floor program in a process of its own, on the same Postgres and NATS as the stack. */
export async function floorProcess(run: RunFile): Promise<AsyncDisposable & { url: string }> {
  const child = fork(new URL('floor-process.ts', import.meta.url), {
    env: { ...process.env, POSTGRES_URL: run.postgresUrl, NATS_URL: run.natsUrl },
  })
  const [message] = (await once(child, 'message')) as [{ url: string }]
  return {
    url: message.url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** A request over a kept connection with as little work of our own as can be. Throws on an unexpected status. */
export function ask(
  url: string,
  options: { method?: string; key?: string; body?: unknown; expect: number },
): Promise<string> {
  const body = options.body === undefined ? undefined : JSON.stringify(options.body)
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        agent,
        method: options.method ?? 'GET',
        headers: {
          ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () => {
          if (response.statusCode === options.expect) resolve(text)
          else reject(new Error(`${url} answered ${response.statusCode}: ${text}`))
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}
