import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkUrl, type UrlRules } from './check-url.ts'
import { DownloadRefused } from './download-refused.ts'
import { isPublicAddress } from './public-address.ts'

const RULES: UrlRules = {
  ports: [80, 443],
  deniedHosts: new Set(['api.example', 'files.example', 'storage.example:9000']),
  areLocalNamesAllowed: false,
  isAllowedAddress: isPublicAddress,
}

/** The reason of a refusal, or the host that would be asked. */
function outcome(address: string, rules = RULES): string {
  try {
    return checkUrl(address, rules).host
  } catch (error) {
    if (error instanceof DownloadRefused) return error.reason
    throw error
  }
}

describe('an address is refused', () => {
  test.each([
    ['148 of a file', 'file:///etc/passwd', 'scheme'],
    ['148 for FTP', 'ftp://example.com/x', 'scheme'],
    ['148 for Gopher', 'gopher://example.com:80/x', 'scheme'],
    ['148 that is data', 'data:image/png;base64,AAAA', 'scheme'],
    ['148 of a blob', 'blob:http://example.com/1', 'scheme'],
    ['148 that is a script', 'javascript:alert(1)', 'scheme'],
    ['148 of a WebSocket', 'ws://example.com/', 'scheme'],
    ['148 without a scheme', '//example.com/x', 'not_an_address'],
    ['148 without slashes', 'http:127.0.0.1', 'forbidden_address'],
    ['148 with three slashes', 'http:///127.0.0.1', 'forbidden_address'],
    ['148 that is empty', '', 'not_an_address'],
    ['148 without a host', 'http://', 'not_an_address'],
    ['162 with the name of a user', 'http://example.com@127.0.0.1/', 'user_info'],
    ['162 with a user at a public host', 'http://me@example.com/', 'user_info'],
    ['162 with a password', 'http://:secret@example.com/', 'user_info'],
    ['162 with a host in the fragment', 'http://127.0.0.1#@example.com', 'forbidden_address'],
    ['162 with a backslash', 'http://127.0.0.1\\@example.com', 'forbidden_address'],
    ['170 with a tab in the host', 'http://127.0\t.0.1/', 'forbidden_address'],
    ['170 with a newline in the host', 'http://local\nhost/', 'name'],
    ['170 with an encoded host', 'http://%6c%6fcalhost/', 'name'],
    ['170 with an encoded dot', 'http://127%2e0%2e0%2e1/', 'forbidden_address'],
    ['170 with an encoded NUL', 'http://example.com%00.internal/', 'not_an_address'],
    ['171 with a label of 64 characters', `http://${'a'.repeat(64)}.example/`, 'name'],
    ['171 with a host of 300 characters', `http://${'a.'.repeat(146)}example/`, 'name'],
    ['171 of 5 KB', `http://example.com/${'a'.repeat(5_000)}`, 'address_too_long'],
    ['171 with an empty label', 'http://localhost../', 'name'],
    ['172 with a leading space', ' http://127.0.0.1/', 'forbidden_address'],
    ['189 of the own API', 'https://api.example/v1/media', 'own_origin'],
    ['189 of the own API over http', 'http://API.example/', 'own_origin'],
    ['189 of the own files, fully qualified', 'https://files.example./x', 'own_origin'],
  ])('%s', (_, address, reason) => expect(outcome(address)).toBe(reason))

  test.each([22, 25, 5432, 4222, 6379, 8222, 0, 8080])('163 with the port %i', (port) => {
    expect(outcome(`http://example.com:${port}/`)).toBe('port')
  })

  test('163 with the port 65536', () => {
    expect(outcome('http://example.com:65536/')).toBe('not_an_address')
  })

  test.each([
    'localhost',
    'LOCALHOST.',
    'ip6-localhost',
    'posts',
    'x.internal',
    'X.INTERNAL.',
    'metadata.google.internal',
    'kubernetes.default.svc',
    'posts.herald.svc.cluster.local',
    'printer.local',
    'a.localhost',
    'router.home.arpa',
  ])('161 of the local name %s', (name) => expect(outcome(`http://${name}/`)).toBe('name'))

  test.each([
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '0x7f.1',
    '127.0.0.1.',
    '①②⑦.0.0.1',
    '127。0。0。1',
  ])('149 of this host as %s', (host) => {
    expect(outcome(`http://${host}/`)).toBe('forbidden_address')
  })

  test.each(['0', '0.0.0.0', '0.1.2.3'])('150 of this host as %s', (host) => {
    expect(outcome(`http://${host}/`)).toBe('forbidden_address')
  })
})

describe('an address passes', () => {
  test.each([
    ['http://example.com/a', 'example.com'],
    ['https://example.com:443/a', 'example.com'],
    ['https://example.com:80/a', 'example.com:80'],
    ['http://example.com./a', 'example.com'],
    ['172 \u0020 http://example.com'.slice(4), 'example.com'],
    ['http://ex%61mple.com/', 'example.com'],
    ['http://bücher.example/', 'xn--bcher-kva.example'],
    ['http://172.32.0.1/', '172.32.0.1'],
    ['http://192.169.0.1/', '192.169.0.1'],
    ['http://8.8.8.8/', '8.8.8.8'],
    ['https://[2606:4700:4700::1111]/', '[2606:4700:4700::1111]'],
    ['http://my-internal.example/', 'my-internal.example'],
    [`http://${'a'.repeat(63)}.example/`, `${'a'.repeat(63)}.example`],
    [`http://example.com/${'a'.repeat(2_000 - 19)}`, 'example.com'],
  ])('%s', (address, host) => expect(outcome(address)).toBe(host))

  test('to a port that the settings name', () => {
    const rules = { ...RULES, ports: [8080] }
    expect(outcome('http://example.com:8080/', rules)).toBe('example.com:8080')
    expect(outcome('http://example.com/', rules)).toBe('port')
  })

  test('with a local name and any port when that is allowed', () => {
    const rules = { ...RULES, ports: undefined, areLocalNamesAllowed: true }
    expect(outcome('http://localhost:9001/', rules)).toBe('localhost:9001')
  })
})

describe('whatever a stranger writes', () => {
  /** The ways in which a URL may write a number of an IPv4 address. */
  const NOTATIONS = [
    String,
    (part: number) => `0x${part.toString(16)}`,
    (part: number) => `0X00${part.toString(16).toUpperCase()}`,
    (part: number) => `0${part.toString(8)}`,
    (part: number) => `0000${part.toString(8)}`,
    (part: number) =>
      String(part).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    (part: number) => String(part).replace(/\d/g, (digit) => `%3${digit}`),
  ]
  const ipv4 = fc.oneof(
    fc.ipV4(),
    fc.constantFrom('127.0.0.1', '10.0.0.1', '169.254.169.254', '168.63.129.16', '8.8.8.8'),
  )
  const form = fc.record({
    ipv4,
    parts: fc.integer({ min: 1, max: 4 }),
    notations: fc.array(fc.constantFrom(...NOTATIONS), { minLength: 4, maxLength: 4 }),
    dot: fc.constantFrom('.', '。', '．', '｡', '%2E'),
    end: fc.constantFrom('', '.'),
  })

  test('an IPv4 address is judged the same in every notation', () => {
    fc.assert(
      fc.property(form, ({ ipv4: address, parts, notations, dot, end }) => {
        const text = inParts(address, parts)
          .map((part, index) => (notations[index] ?? String)(part))
          .join(dot)
        const expected = isPublicAddress(address) ? address : 'forbidden_address'
        expect(outcome(`http://${text}${end}/`)).toBe(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  test('the answer is a URL that keeps the rules, or a refusal', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('http:', 'https:', '//', '/', '\\', '@', ':', '#', '?', '[', ']', '%', '.'),
      fc.constantFrom('127.0.0.1', 'localhost', '::1', 'example.com', '80', '22', '\t', '\n'),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const host = outcome(`http://${pieces.join('')}`)
        expect(host).not.toMatch(/^(127\.[\d.]*|localhost|\[::1?\])(:\d+)?$/)
      }),
      { numRuns: 2_000 },
    )
  })
})

/** The numbers of an IPv4 address written as one to four parts: the last one holds all that remains. */
function inParts(ipv4: string, count: number): number[] {
  const octets = ipv4.split('.').map(Number)
  const last = octets.slice(count - 1).reduce((sum, octet) => sum * 256 + octet, 0)
  return [...octets.slice(0, count - 1), last]
}
