import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { expectRefusal, testGateway, testPost } from './harness.ts'
import { answersOn, exchange, openSocket } from './raw-socket.ts'

const lines = (key: string, ...headers: string[]) =>
  ['GET /v1/posts HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, ...headers, '', ''].join(
    '\r\n',
  )

/** A posts service that answers when the test lets it. */
function heldPosts() {
  const asked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const list = async () => {
    asked.resolve()
    await held.promise
    return { data: [testPost()], nextCursor: null }
  }
  return { list, asked: asked.promise, release: held.resolve }
}

describe('a connection', () => {
  test('is closed behind the last request allowed, and nothing more is carried out on it', async () => {
    await using gateway = await testGateway({
      maxRequestsPerSocket: 2,
      keepAliveTimeoutMs: 600_000,
    })
    const answers = await exchange(gateway.url, Buffer.from(lines(gateway.key).repeat(5)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[1]!.headers.get('connection')).toBe('close')
    expect(gateway.posts.list).toHaveBeenCalledTimes(2)
  })

  test('without a request is closed', async () => {
    await using gateway = await testGateway({ keepAliveTimeoutMs: 50 })
    const answers = await exchange(gateway.url, Buffer.from(lines(gateway.key)))
    expect(answers.map(({ status }) => status)).toEqual([200])
  })
})

describe('closing', () => {
  test('answers what is under way, then takes nothing more', async () => {
    const { list, asked, release } = heldPosts()
    const gateway = await testGateway({ posts: { list } })
    const socket = openSocket(gateway.url)
    const answering = answersOn(socket)
    socket.write(lines(gateway.key))
    await asked
    const closing = gateway.close()
    release()
    const [answer] = await answering
    expect(answer!.status).toBe(200)
    await closing
    await expect(gateway.request('GET', '/healthz')).rejects.toThrow('fetch failed')
  })

  test('ends what does not end by itself', async () => {
    const { list, asked, release } = heldPosts()
    const gateway = await testGateway({ posts: { list }, closeWithinMs: 100 })
    const socket = openSocket(gateway.url)
    const answering = answersOn(socket)
    socket.write(lines(gateway.key))
    await asked
    await gateway.close()
    expect(await answering).toEqual([])
    release()
  })

  test('does not wait for connections without a request', async () => {
    const gateway = await testGateway({ keepAliveTimeoutMs: 60_000, closeWithinMs: 60_000 })
    const socket = openSocket(gateway.url)
    const answering = answersOn(socket)
    socket.write(lines(gateway.key))
    await once(socket, 'data')
    await gateway.close()
    expect(await answering).toHaveLength(1)
  })
})

test('a caller who leaves before the answer is no failure', async () => {
  const { list, asked, release } = heldPosts()
  const gateway = await testGateway({ posts: { list } })
  const socket = openSocket(gateway.url)
  socket.write(lines(gateway.key))
  await asked
  socket.destroy()
  release()
  await gateway.close()
  expect(gateway.log.filter(({ level }) => Number(level) > 30)).toEqual([])
})

test('broken bytes behind a request that is under way do not become its second answer', async () => {
  const { list, asked, release } = heldPosts()
  await using gateway = await testGateway({ posts: { list } })
  const socket = openSocket(gateway.url)
  const answering = answersOn(socket)
  socket.write(lines(gateway.key))
  await asked
  socket.write('nonsense\r\n\r\n')
  const answers = await answering
  expect(answers).toHaveLength(1)
  await expectRefusal(answers[0]!, 400, 'validation_failed')
  release()
})
