import { isIP } from 'node:net'
import { describe, expect, test } from 'vitest'
import { dnsServer, type DnsRecord } from './dns-server.ts'
import { countConnections, isTestPublic, outcome } from './outcome.ts'
import { answering, FILE } from './tcp-server.ts'

const A = (data: string): DnsRecord => ({ type: 'A', data })
const AAAA = (data: string): DnsRecord => ({ type: 'AAAA', data })
const FORBIDDEN = { refused: 'forbidden_address' }

/** Records of one name, whatever its type in the question. */
function records(...all: DnsRecord[]) {
  return dnsServer(({ type }) => all.filter((record) => record.type === type))
}

/** A public address in the first answer, a private one in all later ones. */
function rebindingServer() {
  return dnsServer(({ type, asked }) =>
    type === 'A' ? [A(asked === 0 ? '127.0.0.1' : '10.0.0.1')] : [],
  )
}

describe('a name', () => {
  test('with a public address is asked there, under its name', async () => {
    await using dns = await records(A('127.0.0.1'))
    await using server = await answering(() => FILE, { host: '127.0.0.1' })
    const { port } = server
    const options = { resolve: dns.resolve, ports: [port], isAllowedAddress: isTestPublic }
    expect(await outcome(`http://files.example:${port}/a?b=c#d`, options)).toEqual({ file: 'file' })
    expect(server.seen.received).toMatch(/^GET \/a\?b=c HTTP\/1\.1\r\n/)
    expect(server.seen.received).toContain(`\r\nhost: files.example:${port}\r\n`)
  })

  test('164 is looked up once, so that a second answer cannot lead elsewhere', async () => {
    await using dns = await rebindingServer()
    await using server = await answering(() => FILE, { host: '127.0.0.1' })
    using counter = countConnections()
    const options = { resolve: dns.resolve, ports: [server.port], isAllowedAddress: isTestPublic }
    const url = `http://rebind.example:${server.port}/`
    expect(await outcome(url, options)).toEqual({ file: 'file' })
    expect(dns.questions.toSorted()).toEqual(['A rebind.example', 'AAAA rebind.example'])
    expect(await outcome(url, options)).toEqual(FORBIDDEN)
    expect(counter.connections).toBe(1)
  })

  test('164 is looked up and checked again when it redirects to itself', async () => {
    await using dns = await rebindingServer()
    const redirect = 'HTTP/1.1 302 Found\r\nlocation: /again\r\n\r\n'
    await using server = await answering(() => redirect, { host: '127.0.0.1' })
    using counter = countConnections()
    const options = { resolve: dns.resolve, ports: [server.port], isAllowedAddress: isTestPublic }
    expect(await outcome(`http://rebind.example:${server.port}/`, options)).toEqual(FORBIDDEN)
    expect(server.seen.connections).toBe(1)
    expect(counter.connections).toBe(1)
  })

  test.each<[string, DnsRecord[]]>([
    ['165 with a public and a private address', [A('8.8.8.8'), A('10.0.0.1')]],
    ['165 with the private address first', [A('127.0.0.1'), A('8.8.8.8')]],
    ['166 with a public A and a private AAAA', [A('8.8.8.8'), AAAA('::1')]],
    ['166 with a private A and a public AAAA', [A('10.0.0.1'), AAAA('2606:4700::1111')]],
    ['156 with loopback as a mapped AAAA', [AAAA('::ffff:7f00:1')]],
    ['157 with loopback as a compatible AAAA', [AAAA('::7f00:1')]],
    ['158 with loopback behind NAT64', [AAAA('64:ff9b::7f00:1')]],
    ['152 with the metadata of a cloud', [A('169.254.169.254')]],
    ['153 with the platform of Azure', [A('168.63.129.16')]],
    ['150 with 0.0.0.0', [A('0.0.0.0')]],
    ['with one private address among 30', [...Array(29).fill(A('8.8.8.8')), A('192.168.0.1')]],
  ])('%s is refused without a connection', async (_, all) => {
    await using dns = await records(...all)
    using counter = countConnections()
    expect(await outcome('http://mixed.example/', { resolve: dns.resolve })).toEqual(FORBIDDEN)
    expect(await outcome('https://mixed.example/', { resolve: dns.resolve })).toEqual(FORBIDDEN)
    expect(counter.connections).toBe(0)
  })

  test.each<[string, string, DnsRecord]>([
    ['A', 'secret.internal', { type: 'A', data: '10.1.2.3', name: 'secret.internal' }],
    ['AAAA', 'localhost', { type: 'AAAA', data: '::1', name: 'localhost' }],
  ])(
    '167 that is an alias of an internal name is refused by its %s record',
    async (type, target, record) => {
      await using dns = await dnsServer((question) => [
        { type: 'CNAME', data: target },
        ...(question.type === type ? [record] : []),
      ])
      using counter = countConnections()
      expect(await outcome('http://alias.example/', { resolve: dns.resolve })).toEqual(FORBIDDEN)
      expect(counter.connections).toBe(0)
    },
  )

  test.each([
    ['does not exist', 'NXDOMAIN' as const],
    ['fails', 'SERVFAIL' as const],
    ['has no address', []],
  ])('168 that %s is refused', async (_, answer) => {
    await using dns = await dnsServer(() => answer)
    const options = { resolve: dns.resolve }
    expect(await outcome('http://missing.example/', options)).toEqual({ refused: 'dns_failed' })
  })

  test('168 whose name server never answers is refused after the deadline', async () => {
    await using dns = await dnsServer(() => 'no answer')
    const options = { resolve: dns.resolve, timings: { dnsMs: 50 } }
    expect(await outcome('http://hanging.example/', options)).toEqual({ refused: 'dns_deadline' })
  })

  test('168 is not waited for longer than the deadline by a resolver that cannot stop', async () => {
    const options = { resolve: () => new Promise<never>(() => undefined), timings: { dnsMs: 50 } }
    expect(await outcome('http://hanging.example/', options)).toEqual({ refused: 'dns_deadline' })
  })

  test('168 is not asked for any longer when its time is over', async () => {
    await using dns = await dnsServer(() => 'no answer')
    const stop = new AbortController()
    const look = dns.resolve('hanging.example', stop.signal)
    stop.abort()
    await expect(look).rejects.toMatchObject({ code: 'ECANCELLED' })
  })

  test('168 for which a resolver finds nothing is refused', async () => {
    const options = { resolve: async () => [] }
    expect(await outcome('http://missing.example/', options)).toEqual({ refused: 'dns_failed' })
  })

  test('168 of which only the AAAA look-up fails is asked at its A record', async () => {
    await using dns = await dnsServer(({ type }) => (type === 'A' ? [A('127.0.0.1')] : 'SERVFAIL'))
    await using server = await answering(() => FILE, { host: '127.0.0.1' })
    const options = { resolve: dns.resolve, ports: [server.port], isAllowedAddress: isTestPublic }
    const url = `http://half.example:${server.port}/`
    expect(await outcome(url, options)).toEqual({ file: 'file' })
  })

  test('is not completed with search domains', async () => {
    await using dns = await dnsServer(() => 'NXDOMAIN')
    await outcome('http://files.default/', { resolve: dns.resolve })
    expect(dns.questions.toSorted()).toEqual(['A files.default', 'AAAA files.default'])
  })
})

describe('of several addresses', () => {
  test('the next one is asked when one refuses', async () => {
    await using server = await answering(() => FILE, { host: '127.0.0.1' })
    const resolve = async () =>
      ['::1', '127.0.0.1'].map((address) => ({ address, family: isIP(address) }))
    const options = { resolve, ports: [server.port], isAllowedAddress: () => true }
    const url = `http://two.example:${server.port}/`
    expect(await outcome(url, options)).toEqual({ file: 'file' })
  })

  test('no more than four are tried', async () => {
    await using server = await answering(() => FILE, { host: '127.0.0.1' })
    using counter = countConnections()
    const resolve = async () => Array(50).fill({ address: '::1', family: 6 })
    const options = { resolve, ports: [server.port], isAllowedAddress: () => true }
    const url = `http://many.example:${server.port}/`
    expect(await outcome(url, options)).toEqual({ refused: 'connect_failed' })
    expect(counter.connections).toBe(4)
  })
})
