import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { eventually } from '@herald/testing/eventually'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { freePorts } from '../src/free-port.ts'
import { startNats } from '../src/nats.ts'
import { findProcess } from '../src/process-info.ts'
import { hasSetpriv, pathThatOutlivesParents, startInChild } from './child.ts'

const binary = inject('natsServer')

async function greet(port: number): Promise<{ jetstream: boolean; host: string }> {
  const socket = connect(port, '127.0.0.1')
  const [line] = await once(socket, 'data')
  socket.destroy()
  return JSON.parse(String(line).slice('INFO '.length))
}

test('it runs JetStream on loopback with its files in the folder, and stops without a trace', async () => {
  using folder = temporaryFolder()
  const server = await startNats({ dataDir: folder.path, binary })
  expect(server.url).toBe(`nats://127.0.0.1:${server.port}`)
  expect(await greet(server.port)).toMatchObject({ jetstream: true, host: '127.0.0.1' })
  expect(existsSync(join(folder.path, 'jetstream'))).toBe(true)
  await server.stop()
  await server.exited
  expect(findProcess(server.pid)).toBeUndefined()
  await server.stop()
})

test('it comes back on the same port and folder after it was killed', async () => {
  using folder = temporaryFolder()
  const [port = 0] = await freePorts(1)
  const first = await startNats({ dataDir: folder.path, port, binary })
  first.kill('SIGKILL')
  await first.exited
  const second = await startNats({ dataDir: folder.path, port, binary })
  expect(second.url).toBe(first.url)
  await second.stop()
})

test('a port that another program has taken is told in the words of the server', async () => {
  using folder = temporaryFolder()
  using other = temporaryFolder()
  const first = await startNats({ dataDir: folder.path, binary })
  const second = startNats({ dataDir: other.path, port: first.port, binary })
  await expect(second).rejects.toThrow('address already in use')
  await first.stop()
})

test('it ends when the process that started it is killed', async ({ skip }) => {
  if (!hasSetpriv()) skip()
  using folder = temporaryFolder()
  const owner = await startInChild('nats', { dataDir: folder.path, binary })
  await owner.kill()
  await eventually(() => expect(findProcess(owner.server.pid)).toBeUndefined())
})

test('a start on the folder of a killed process stops the server that was left behind', async () => {
  using folder = temporaryFolder()
  const options = { dataDir: folder.path, binary }
  const owner = await startInChild('nats', options, pathThatOutlivesParents(folder.path))
  await owner.kill()
  expect(findProcess(owner.server.pid)).toBeDefined()
  const server = await startNats(options)
  expect(findProcess(owner.server.pid)).toBeUndefined()
  expect(await greet(server.port)).toMatchObject({ jetstream: true })
  await server.stop()
})

test('a folder that a living Herald uses is refused', async () => {
  using folder = temporaryFolder()
  const server = await startNats({ dataDir: folder.path, binary })
  await expect(startNats({ dataDir: folder.path, binary })).rejects.toThrow('is in use by Herald')
  expect(await greet(server.port)).toMatchObject({ jetstream: true })
  await server.stop()
})
