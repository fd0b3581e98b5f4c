import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { nameServers } from '../src/resolve-name.ts'

export type DnsRecord = { type: 'A' | 'AAAA' | 'CNAME'; data: string; name?: string }
type DnsAnswer = DnsRecord[] | 'NXDOMAIN' | 'SERVFAIL' | 'no answer'
type Question = { name: string; type: 'A' | 'AAAA'; asked: number }

const TYPES = { A: 1, AAAA: 28, CNAME: 5 }
const CODES = { SERVFAIL: 2, NXDOMAIN: 3 }

/** A name server on loopback that answers what its script says. `asked` counts earlier questions of the same kind. */
export async function dnsServer(script: (question: Question) => DnsAnswer) {
  const questions: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (message, peer) => {
    const name = readName(message)
    const type = message.readUInt16BE(name.end) === TYPES.AAAA ? 'AAAA' : 'A'
    const key = `${type} ${name.text}`
    const asked = questions.filter((question) => question === key).length
    questions.push(key)
    const answer = script({ name: name.text, type, asked })
    if (answer === 'no answer') return
    socket.send(
      reply(message.subarray(0, name.end + 4), name.text, answer),
      peer.port,
      peer.address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    questions,
    resolve: nameServers([`127.0.0.1:${socket.address().port}`]),
    async [Symbol.asyncDispose]() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function reply(query: Buffer, name: string, answer: Exclude<DnsAnswer, 'no answer'>): Buffer {
  const records = typeof answer === 'string' ? [] : answer
  const head = Buffer.from(query)
  head.writeUInt16BE(0x8180 | (typeof answer === 'string' ? CODES[answer] : 0), 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt16BE(0, 8)
  head.writeUInt16BE(0, 10)
  return Buffer.concat([head, ...records.map((record) => encode({ name, ...record }))])
}

/** One resource record with a time to live of zero. */
function encode({ name, type, data }: DnsRecord & { name: string }): Buffer {
  const value = valueOf(type, data)
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(TYPES[type], 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt16BE(value.length, 8)
  return Buffer.concat([encodeName(name), fixed, value])
}

function valueOf(type: DnsRecord['type'], data: string): Buffer {
  if (type === 'CNAME') return encodeName(data)
  if (type === 'A') return Buffer.from(data.split('.').map(Number))
  const [left = '', right = ''] = data.split('::').map((half) =>
    half
      .split(':')
      .map((part) => part.padStart(4, '0'))
      .join(''),
  )
  return Buffer.from(left.replace(/^0000$/, '').padEnd(32 - right.length, '0') + right, 'hex')
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

function readName(message: Buffer): { text: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { text: labels.join('.').toLowerCase(), end: at + 1 }
}
