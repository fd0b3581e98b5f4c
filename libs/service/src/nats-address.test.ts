import { expect, test } from 'vitest'
import { readNatsUrl } from './nats-address.ts'

test.each([
  ['nats://one:4222', { servers: ['nats://one:4222'] }],
  ['one:4222,tls://two:4222', { servers: ['one:4222', 'tls://two:4222'] }],
  ['nats://me:secret@one:4222', { servers: ['nats://one:4222'], user: 'me', pass: 'secret' }],
  ['me:a:b%40@one', { servers: ['one'], user: 'me', pass: 'a:b@' }],
  [
    'nats://me:x@one:4222, nats://me:x@two:4222',
    { servers: ['nats://one:4222', 'nats://two:4222'], user: 'me', pass: 'x' },
  ],
  ['nats://[::1]:4222', { servers: ['nats://[::1]:4222'] }],
])('of %s the servers and the credentials are told apart', (text, expected) => {
  expect(readNatsUrl(text)).toEqual(expected)
})
