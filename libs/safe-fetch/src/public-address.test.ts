import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPublicAddress, isPublicOrLocalAddress, publicAddressOutside } from './public-address.ts'

const FORBIDDEN: [item: string, ...addresses: string[]][] = [
  ['149 loopback', '127.0.0.1', '127.255.255.255'],
  ['150 this host', '0.0.0.0', '0.1.2.3', '0.255.255.255'],
  ['151 private', '10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  ['152 link-local and metadata', '169.254.169.254', '169.254.170.2', 'fd00:ec2::254'],
  ['152 metadata elsewhere', '100.100.100.200', '192.0.0.192'],
  ['153 the platform of Azure', '168.63.129.16', '::ffff:168.63.129.16'],
  ['154 shared by a carrier', '100.64.0.0', '100.64.0.1', '100.127.255.255'],
  ['154 benchmarks', '198.18.0.1', '198.19.255.255', '2001:2::1'],
  ['154 documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  ['154 relays of 6to4', '192.88.99.1'],
  ['154 multicast', '224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  ['154 reserved and broadcast', '240.0.0.1', '255.255.255.255'],
  ['155 loopback and unspecified of IPv6', '::1', '::'],
  ['156 mapped', '::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:0001', '::ffff:a00:1'],
  ['157 compatible', '::127.0.0.1', '::7f00:1', '::8.8.8.8', '::ffff', '::1:0'],
  ['158 NAT64', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::a9fe:a9fe'],
  ['159 6to4', '2002:7f00:1::', '2002:808:808::1'],
  ['159 Teredo', '2001:0:7f00:1::', '2001::1'],
  ['159 translated', '::ffff:0:127.0.0.1', '::ffff:0:7f00:1'],
  ['159 ISATAP', '2606:4700::5efe:7f00:1', '2606:4700::200:5efe:10.0.0.1', 'fe80::5efe:a00:1'],
  ['160 link-local', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  ['160 site-local', 'fec0::1', 'feff::1'],
  ['160 unique local', 'fc00::1', 'fdff::1'],
  ['160 discard', '100::1', '100:0:0:1::1'],
  ['160 segment routing', '5f00::1'],
  ['160 not given out', '4000::1', 'e000::1', '200::1'],
  ['160 AS112, AMT, ORCHID', '192.175.48.1', '192.52.193.1', '2620:4f:8000::1', '2001:20::1'],
  ['no address', '', 'localhost', '8.8.8', '8.8.8.8.', ' 8.8.8.8', '8.8.8.8/32', '[2606:4700::1]'],
  ['numbers that are none in canonical form', '134744072', '0x08080808', '010.8.8.8', '8.8.2056'],
  ['a zone', '2606:4700:4700::1111%eth0'],
]

const PUBLIC = [
  '172.15.255.255',
  '172.32.0.1',
  '192.169.0.1',
  '8.8.8.8',
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '168.63.129.15',
  '168.63.129.17',
  '169.253.255.255',
  '169.255.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '::ffff:8.8.8.8',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '2001:4860:4860::8888',
  '2400:cb00:2048:1::c629:d7a2',
]

describe('a public address', () => {
  test.each(FORBIDDEN.flatMap(([item, ...all]) => all.map((address) => [item, address])))(
    'is not one of %s: "%s"',
    (_, address) => expect(isPublicAddress(address)).toBe(false),
  )

  test.each(PUBLIC)('may be %s', (address) => expect(isPublicAddress(address)).toBe(true))

  test('is judged by IPv4 rules when it is an IPv4 address mapped into IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ipv4) => isPublicAddress(ipv4) === isPublicAddress(`::ffff:${ipv4}`)),
    )
  })

  test('is never one that carries an IPv4 address', () => {
    const embeddings = ['::IP', '64:ff9b::IP', '64:ff9b:1::IP', '2002:HEX::', '2001:0:HEX::1']
    const carried = fc.record({ form: fc.constantFrom(...embeddings), ipv4: fc.ipV4() })
    fc.assert(
      fc.property(carried, ({ form, ipv4 }) => {
        const address = form.replace('IP', ipv4).replace('HEX', hexOf(ipv4))
        return !isPublicAddress(address)
      }),
    )
  })

  test('lies in 2000::/3 when it is one of IPv6', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const isMapped = /^[0:]*:ffff:[^:]*(:[^:]*)?$/i.test(address)
        return isMapped || !isPublicAddress(address) || /^[23][\da-f]{3}:/i.test(address)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('for local use', () => {
  test.each([
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '192.168.1.1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '8.8.8.8',
  ])('%s is allowed too', (address) => expect(isPublicOrLocalAddress(address)).toBe(true))

  test.each([
    '169.254.169.254',
    'fe80::1',
    '0.0.0.0',
    '::',
    '224.0.0.1',
    '100.64.0.1',
    'localhost',
  ])('%s is still not allowed', (address) => expect(isPublicOrLocalAddress(address)).toBe(false))
})

describe('own ranges', () => {
  const isAllowed = publicAddressOutside(['8.8.0.0/16', '2606:4700::/32'])

  test.each(['8.8.8.8', '8.8.255.255', '::ffff:8.8.8.8', '2606:4700:4700::1111'])(
    'exclude %s',
    (address) => expect(isAllowed(address)).toBe(false),
  )

  test.each(['8.9.0.1', '2606:4701::1'])('leave %s', (address) => {
    expect(isAllowed(address)).toBe(true)
  })

  test('add nothing', () => {
    expect(isAllowed('127.0.0.1')).toBe(false)
    expect(isAllowed('nothing')).toBe(false)
  })

  test('that are none are told at once', () => {
    expect(() => publicAddressOutside(['8.8.0.0/33'])).toThrow(Error)
  })
})

function hexOf(ipv4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}
