import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { answering, FILE } from './tcp-server.ts'

const PROXIED = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nproxy'

/** Both run in a process of their own, since Node reads the settings of a proxy when it starts. */
const GUARDED = `
  const { download } = await import(process.argv[1])
  const port = Number(new URL(process.argv[2]).port)
  const { body } = await download(process.argv[2], { maxBytes: 10, allowPrivate: true })
  for await (const chunk of body) process.stdout.write(chunk)`
const UNGUARDED = `
  const { get } = await import('node:http')
  get(process.argv[2], (response) => response.pipe(process.stdout))`

test('173 a proxy of the environment is not used', async () => {
  await using server = await answering(() => FILE, { host: '127.0.0.1' })
  await using proxy = await answering(() => PROXIED, { host: '127.0.0.1' })
  const address = `http://127.0.0.1:${proxy.port}`
  const environment = {
    HTTP_PROXY: address,
    http_proxy: address,
    HTTPS_PROXY: address,
    ALL_PROXY: address,
    NODE_USE_ENV_PROXY: '1',
  }
  const run = async (script: string) => {
    const module = new URL('../src/download.ts', import.meta.url).href
    const args = ['--input-type=module', '-e', script, module, `http://127.0.0.1:${server.port}/`]
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment })
    return stdout
  }
  expect(await run(UNGUARDED)).toBe('proxy')
  expect(proxy.seen.connections).toBe(1)
  expect(await run(GUARDED)).toBe('file')
  expect(proxy.seen.connections).toBe(1)
})
