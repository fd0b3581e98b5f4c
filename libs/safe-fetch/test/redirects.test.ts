import { eventually } from '@herald/testing/eventually'
import { describe, expect, test } from 'vitest'
import { download } from '../src/download.ts'
import { countConnections, isTestPublic, outcome } from './outcome.ts'
import { answering, FILE, onRequest, tcpServer } from './tcp-server.ts'

function redirect(location: string, status = 302): string {
  return `HTTP/1.1 ${status} Moved\r\nset-cookie: a=b\r\nlocation: ${location}\r\n\r\n`
}

/** A public server that redirects from `/` and has a file at each other path. */
async function redirecting(location: string, status?: number) {
  const server = await answering((path) => (path === '/' ? redirect(location, status) : FILE), {
    host: '127.0.0.1',
  })
  const url = `http://127.0.0.1:${server.port}/`
  return { ...server, url, options: { ports: [server.port], isAllowedAddress: isTestPublic } }
}

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('with %i is followed', async (status) => {
    await using server = await redirecting('/file.png', status)
    expect(await outcome(server.url, server.options)).toEqual({ file: 'file' })
    expect(server.seen.connections).toBe(2)
  })

  test.each([300, 304, 305, 306, 309])('with %i is none', async (status) => {
    await using server = await redirecting('/file.png', status)
    expect(await outcome(server.url, server.options)).toEqual({ refused: `status_${status}` })
  })

  test('leaves no connection open behind it', async () => {
    await using server = await tcpServer(
      (socket) => onRequest(socket, (path) => socket.write(path === '/' ? redirect('/a') : FILE)),
      { host: '127.0.0.1' },
    )
    const options = { ports: [server.port], isAllowedAddress: isTestPublic, maxBytes: 10 }
    const { body } = await download(`http://127.0.0.1:${server.port}/`, options)
    await eventually(() => expect(server.open()).toBe(1))
    body.destroy()
    await eventually(() => expect(server.open()).toBe(0))
  })

  test('tells the next server neither cookies nor where it came from', async () => {
    await using server = await redirecting('/file.png')
    await outcome(server.url, server.options)
    const [, second] = server.seen.received.split(/(?=GET )/)
    expect(second?.split('\r\n').toSorted()).toEqual(
      [
        'GET /file.png HTTP/1.1',
        `host: 127.0.0.1:${server.port}`,
        'user-agent: Herald',
        'accept: */*',
        'accept-encoding: identity',
        'Connection: close',
        '',
        '',
      ].toSorted(),
    )
  })

  test('is taken relative to where it came from, and may be in raw UTF-8', async () => {
    const paths: string[] = []
    await using server = await answering((path) => {
      paths.push(path)
      if (path === '/a/b') return redirect('c?d')
      if (path === '/a/c?d') return redirect('grüße.png')
      return FILE
    })
    const url = `http://127.0.0.1:${server.port}/a/b`
    const options = { maxBytes: 10, ports: [server.port], isAllowedAddress: isTestPublic }
    const file = await download(url, options)
    file.body.destroy()
    expect(paths).toEqual(['/a/b', '/a/c?d', '/a/gr%C3%BC%C3%9Fe.png'])
    expect(file).toMatchObject({
      url: `http://127.0.0.1:${server.port}/a/gr%C3%BC%C3%9Fe.png`,
      fileName: 'grüße.png',
    })
  })

  test.each([
    ['to another address of this machine', 'http://127.0.0.2:PORT/x', 'forbidden_address'],
    ['to loopback of IPv6', 'http://[::1]:PORT/x', 'forbidden_address'],
    ['to a private network', 'http://10.0.0.1:PORT/x', 'forbidden_address'],
    ['to the metadata of a cloud', 'http://169.254.169.254:PORT/latest/', 'forbidden_address'],
    ['without a scheme', '//127.0.0.2:PORT/x', 'forbidden_address'],
    ['with backslashes', '\\\\127.0.0.2:PORT/x', 'forbidden_address'],
    ['with an address in decimal', 'http://2130706434:PORT/x', 'forbidden_address'],
    ['to a local name', 'http://localhost:PORT/x', 'name'],
    ['to a file', 'file:///etc/passwd', 'scheme'],
    ['to data', 'data:text/plain,file', 'scheme'],
    ['with a user', 'http://me@127.0.0.1:PORT/x', 'user_info'],
    ['to another port', 'http://127.0.0.1:22/x', 'port'],
    ['to an origin of our own', 'http://api.example:PORT/x', 'own_origin'],
    ['to nothing', '', 'redirect_without_location'],
    ['to what is no address', 'http://[', 'not_an_address'],
    ['to a very long address', `/${'a'.repeat(3_000)}`, 'address_too_long'],
  ])('169 %s is refused without a second connection', async (_, location, refused) => {
    let port = 0
    await using server = await answering(
      (path) => (path === '/' ? redirect(location.replace('PORT', String(port))) : FILE),
      { host: '127.0.0.1' },
    )
    port = server.port
    using counter = countConnections()
    const options = {
      ports: [port],
      isAllowedAddress: isTestPublic,
      deniedOrigins: [`https://api.example:${port}`],
    }
    expect(await outcome(`http://127.0.0.1:${port}/`, options)).toEqual({ refused })
    expect(counter.connections).toBe(1)
  })

  test.each([
    ['169 to itself, for ever', () => redirect('/'), 4],
    ['169 that is the fourth of a chain', (path: string) => redirect(`${path}x`, 303), 4],
  ])('%s is refused', async (_, answer, connections) => {
    await using server = await answering(answer, { host: '127.0.0.1' })
    const options = { ports: [server.port], isAllowedAddress: isTestPublic }
    const url = `http://127.0.0.1:${server.port}/`
    expect(await outcome(url, options)).toEqual({ refused: 'too_many_redirects' })
    expect(server.seen.connections).toBe(connections)
  })

  test('that is the third of a chain is followed', async () => {
    await using server = await answering(
      (path) => (path === '/xxx' ? FILE : redirect(`${path}x`, 303)),
      { host: '127.0.0.1' },
    )
    const options = { ports: [server.port], isAllowedAddress: isTestPublic }
    expect(await outcome(`http://127.0.0.1:${server.port}/`, options)).toEqual({ file: 'file' })
  })

  test('has no time of its own', async () => {
    await using server = await tcpServer(
      (socket) => onRequest(socket, (path) => path === '/' && socket.write(redirect('/a'))),
      { host: '127.0.0.1' },
    )
    const timings = { totalMs: 1_000 }
    const options = { ports: [server.port], isAllowedAddress: isTestPublic, timings }
    const url = `http://127.0.0.1:${server.port}/`
    expect(await outcome(url, options)).toEqual({ refused: 'total_deadline' })
    expect(server.seen.connections).toBe(2)
    await eventually(() => expect(server.open()).toBe(0))
  })
})
