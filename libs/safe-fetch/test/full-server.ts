import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'

/** Listens and then never does anything again, so that connections are made until its queue of two is full. */
const SCRIPT = `
  const server = require('node:net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

/** A port of 127.0.0.1 at which a connection is neither made nor refused. */
export async function fullServer() {
  const child = spawn(process.execPath, ['-e', SCRIPT], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(child.stdout, 'data')
  const queue = Array.from({ length: 8 }, () => connect(Number(port), '127.0.0.1'))
  for (const socket of queue) socket.on('error', () => undefined)
  await Promise.any(queue.map((socket) => once(socket, 'connect')))
  return {
    port: Number(port),
    async [Symbol.asyncDispose]() {
      for (const socket of queue) socket.destroy()
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
