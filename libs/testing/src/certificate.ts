import { generateKeyPairSync, sign } from 'node:crypto'

/** A self-signed certificate for the given names and 127.0.0.1, and its key, both PEM. Nobody trusts it unless told to. */
export function certificateFor(
  names: readonly string[],
  { until = '20491231235959Z' }: { until?: string } = {},
): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(tag(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  const commonName = sequence(
    tag(0x06, Buffer.from('550403', 'hex')),
    tag(0x0c, Buffer.from(`test ${names.join(' ')}`)),
  )
  const name = sequence(tag(0x31, commonName))
  const alternatives = [
    ...names.map((dnsName) => tag(0x82, Buffer.from(dnsName))),
    tag(0x87, Buffer.from([127, 0, 0, 1])),
  ]
  const subjectAltName = sequence(
    tag(0x06, Buffer.from('551d11', 'hex')),
    tag(0x04, sequence(...alternatives)),
  )
  const content = sequence(
    tag(0xa0, tag(0x02, Buffer.from([2]))),
    tag(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(tag(0x18, Buffer.from('20200101000000Z')), tag(0x18, Buffer.from(until))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(subjectAltName)),
  )
  const signature = sign('sha256', content, privateKey)
  const certificate = sequence(
    content,
    ecdsaWithSha256,
    tag(0x03, Buffer.concat([Buffer.from([0]), signature])),
  )
  const lines = certificate
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function sequence(...parts: Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts))
}

/** One DER value. */
function tag(type: number, content: Buffer): Buffer {
  const { length } = content
  const head =
    length < 128
      ? [type, length]
      : length < 256
        ? [type, 0x81, length]
        : [type, 0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from(head), content])
}
