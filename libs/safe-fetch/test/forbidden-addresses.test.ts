import { networkInterfaces } from 'node:os'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { countConnections, isTestPublic, outcome } from './outcome.ts'
import { answering, FILE, type TcpServer } from './tcp-server.ts'

const REFUSED = { refused: 'forbidden_address' }

let server: TcpServer
beforeEach(async () => {
  server = await answering(() => FILE)
})
afterEach(() => server[Symbol.asyncDispose]())

describe('this machine', () => {
  const names: [string, string][] = [
    ['149 as 127.0.0.1', '127.0.0.1'],
    ['149 as one number', '2130706433'],
    ['149 as one hexadecimal number', '0x7f000001'],
    ['149 in octal', '0177.0.0.1'],
    ['149 in two parts', '127.1'],
    ['149 in two parts, hexadecimal', '0x7f.1'],
    ['149 with a final dot', '127.0.0.1.'],
    ['149 in circled digits', '①②⑦.0.0.1'],
    ['149 with ideographic full stops', '127。0。0。1'],
    ['150 as 0', '0'],
    ['150 as 0.0.0.0', '0.0.0.0'],
    ['155 as [::1]', '[::1]'],
    ['155 as [::]', '[::]'],
    ['156 as a mapped address', '[::ffff:127.0.0.1]'],
    ['170 with a tab', '127.0\t.0.1'],
    ['170 with encoded dots', '127%2e0%2e0%2e1'],
  ]

  test.each(names)('is not asked when it is written %s', async (_, host) => {
    using counter = countConnections()
    const ports = [server.port]
    expect(await outcome(`http://${host}:${server.port}/`, { ports })).toEqual(REFUSED)
    expect(await outcome(`https://${host}:${server.port}/`, { ports })).toEqual(REFUSED)
    expect(counter.connections).toBe(0)
    expect(server.seen.connections).toBe(0)
  })

  test('would be reached under each of these names without the guard', async () => {
    const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(isLoopbackOfIpv6))
    const reachable = names.filter(([, host]) => hasIpv6 || !host.startsWith('['))
    for (const [, host] of reachable) {
      const everything = { ports: [server.port], isAllowedAddress: () => true }
      const found = await outcome(`http://${host}:${server.port}/`, everything)
      expect({ host, ...found }).toEqual({ host, file: 'file' })
    }
    expect(server.seen.connections).toBe(reachable.length)
  })

  test.each([
    'http:127.0.0.1:PORT',
    'http:///127.0.0.1:PORT',
    'http:\\\\127.0.0.1:PORT',
    ' http://127.0.0.1:PORT',
  ])('148 172 is not asked by way of %s', async (address) => {
    const ports = [server.port]
    expect(await outcome(address.replace('PORT', String(server.port)), { ports })).toEqual(REFUSED)
    expect(server.seen.connections).toBe(0)
  })
})

describe('no connection is begun to', () => {
  test.each([
    ['151', '10.0.0.1'],
    ['151', '172.16.0.1'],
    ['151', '172.31.255.255'],
    ['151', '192.168.0.1'],
    ['152', '169.254.169.254'],
    ['152', '169.254.170.2'],
    ['152', '100.100.100.200'],
    ['152', '[fd00:ec2::254]'],
    ['152', '192.0.0.192'],
    ['153', '168.63.129.16'],
    ['154', '100.64.0.1'],
    ['154', '198.18.0.1'],
    ['154', '192.0.2.1'],
    ['154', '198.51.100.1'],
    ['154', '203.0.113.1'],
    ['154', '192.88.99.1'],
    ['154', '224.0.0.1'],
    ['154', '240.0.0.1'],
    ['154', '255.255.255.255'],
    ['157', '[::127.0.0.1]'],
    ['158', '[64:ff9b::7f00:1]'],
    ['158', '[64:ff9b:1::a9fe:a9fe]'],
    ['159', '[2002:7f00:1::]'],
    ['159', '[2001:0:7f00:1::]'],
    ['159', '[::ffff:0:127.0.0.1]'],
    ['160', '[fe80::1]'],
    ['160', '[fec0::1]'],
    ['160', '[fc00::1]'],
    ['160', '[ff02::1]'],
    ['160', '[100::1]'],
    ['160', '[100:0:0:1::1]'],
    ['160', '[2001:db8::1]'],
    ['160', '[5f00::1]'],
  ])('%s %s', async (_, host) => {
    using counter = countConnections()
    expect(await outcome(`http://${host}/latest/meta-data/`)).toEqual(REFUSED)
    expect(await outcome(`https://${host}/`)).toEqual(REFUSED)
    expect(counter.connections).toBe(0)
  })

  test.each([
    ['148', 'file:///etc/passwd', 'scheme'],
    ['148', 'data:text/plain,file', 'scheme'],
    ['148', '//127.0.0.1:PORT/x', 'not_an_address'],
    ['161', 'http://localhost:PORT/', 'name'],
    ['161', 'http://LOCALHOST.:PORT/', 'name'],
    ['162', 'http://example.com@127.0.0.1:PORT/', 'user_info'],
    ['162', 'http://127.0.0.1:PORT#@example.com', 'forbidden_address'],
    ['162', 'http://127.0.0.1:PORT\\@example.com', 'forbidden_address'],
    ['163', 'http://127.0.0.1:22/', 'port'],
    ['171', `http://127.0.0.1:PORT/${'a'.repeat(5_000)}`, 'address_too_long'],
  ])('%s %s', async (_, address, refused) => {
    using counter = countConnections()
    const ports = [server.port]
    expect(await outcome(address.replace('PORT', String(server.port)), { ports })).toEqual({
      refused,
    })
    expect(counter.connections).toBe(0)
  })

  test('161 a local name, for which no name server is asked either', async () => {
    const asked: string[] = []
    const resolve = async (name: string) => {
      asked.push(name)
      return []
    }
    for (const name of ['localhost', 'posts', 'x.internal', 'kubernetes.default.svc', 'a.local'])
      expect(await outcome(`http://${name}/`, { resolve })).toEqual({ refused: 'name' })
    expect(asked).toEqual([])
  })

  test('189 an origin of our own, for which no name server is asked either', async () => {
    using counter = countConnections()
    const options = {
      isAllowedAddress: isTestPublic,
      ports: [server.port],
      deniedOrigins: [`http://127.0.0.1:${server.port}`, `https://files.example:${server.port}`],
      resolve: () => Promise.reject(new Error('asked')),
    }
    for (const host of [
      'http://127.0.0.1',
      'https://127.0.0.1',
      'http://files.example',
      'https://FILES.example.',
    ])
      expect(await outcome(`${host}:${server.port}/v1/media`, options)).toEqual({
        refused: 'own_origin',
      })
    expect(counter.connections).toBe(0)
  })
})

describe('a connection', () => {
  test('that turns out to lead to a forbidden address is closed before a byte is written', async () => {
    let checks = 0
    const isAllowedAddress = () => ++checks === 1
    const url = `http://127.0.0.1:${server.port}/`
    expect(await outcome(url, { ports: [server.port], isAllowedAddress })).toEqual(REFUSED)
    expect(checks).toBe(2)
    expect(server.seen.received).toBe('')
  })
})

describe('for local use', () => {
  test.each(['127.0.0.1', 'localhost'])('%s may be asked at any port', async (host) => {
    const url = `http://${host}:${server.port}/a`
    expect(await outcome(url, { allowPrivate: true })).toEqual({ file: 'file' })
  })

  test('the metadata of a cloud may still not be asked', async () => {
    using counter = countConnections()
    expect(await outcome('http://169.254.169.254/', { allowPrivate: true })).toEqual(REFUSED)
    expect(counter.connections).toBe(0)
  })

  test('ports that are given still count', async () => {
    const url = `http://127.0.0.1:${server.port}/`
    const options = { allowPrivate: true, ports: [443] }
    expect(await outcome(url, options)).toEqual({ refused: 'port' })
  })
})

function isLoopbackOfIpv6({ address }: { address: string }): boolean {
  return address === '::1'
}
