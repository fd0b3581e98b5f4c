import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { eventually } from '@herald/testing/eventually'
import { StorageUnavailable } from '../src/errors.ts'
import { createS3Storage, type S3Storage } from '../src/s3-storage.ts'
import type { Deadlines } from '../src/storage.ts'
import { collect } from './collect.ts'
import { s3Error, scriptedServer, type Script } from './scripted-server.ts'

const access = {
  region: 'us-east-1',
  bucket: 'media',
  accessKey: 'herald',
  secretKey: 'a-secret-that-is-never-told',
}
const quick = { answerMs: 150, idleMs: 150, copyMs: 150 }
const input = { contentType: 'image/png', contentLength: 10 }

/** A fault, and the deadlines of who meets it: the usual ones unless only a deadline ends it. */
type Fault = { script: Script; deadlines?: Deadlines }

function storageAt(endpoint: string, deadlines: Partial<Deadlines> = {}): S3Storage {
  return createS3Storage({ endpoint, ...access, deadlines })
}

const calls: Record<string, (storage: S3Storage) => Promise<unknown>> = {
  head: (storage) => storage.head('a'),
  get: async (storage) => buffer(await storage.get('a')),
  'get of a range': async (storage) => buffer(await storage.get('a', { start: 0, end: 4 })),
  put: (storage) => storage.put('a', Readable.from([Buffer.alloc(10)]), input),
  copy: (storage) => storage.copy('a', 'b'),
  delete: (storage) => storage.delete('a'),
  list: (storage) => collect(storage.list('a')),
  ensureBucket: (storage) => storage.ensureBucket(),
}

const faults: Record<string, Fault> = {
  'never answers': { script: () => {}, deadlines: quick },
  'hangs up': { script: (request) => request.socket.destroy() },
  'hangs up after it took the request': {
    script: (request) => request.resume().on('end', () => request.socket.destroy()),
  },
  'speaks no HTTP': { script: (request) => request.socket.end('hello\r\n\r\n') },
  'answers 503 SlowDown': { script: s3Error(503, 'SlowDown') },
  'answers 500': { script: s3Error(500, 'InternalError') },
  'answers 429': { script: s3Error(429, 'TooManyRequests') },
  'answers 403, the access key is revoked': { script: s3Error(403, 'InvalidAccessKeyId') },
  'answers 403, the clocks differ': { script: s3Error(403, 'RequestTimeTooSkewed') },
  'answers 301': { script: s3Error(301, 'PermanentRedirect') },
}

const halfAnswers: Record<string, Fault> = {
  'starts an answer and stops': {
    script: (_request, response) => {
      response.writeHead(200, { 'Content-Length': '10' }).write('12345')
    },
    deadlines: quick,
  },
  'answers half and hangs up': {
    script: (_request, response) => {
      response.writeHead(200, { 'Content-Length': '10' }).write('12345', () => response.destroy())
    },
  },
}

// For the others the status is all of the answer.
const withAnswerBody = ['get', 'get of a range', 'copy', 'list']

describe.each([
  ...Object.entries(faults).map(([name, fault]) => [name, fault, Object.keys(calls)] as const),
  ...Object.entries(halfAnswers).map(([name, fault]) => [name, fault, withAnswerBody] as const),
])('a server that %s', (_fault, { script, deadlines }, names) => {
  test.each(names)('fails a %s as unavailable, after one request', async (name) => {
    await using server = await scriptedServer(script)
    const failure = await failureOf(calls[name]!(storageAt(server.endpoint, deadlines)))
    expect(failure).toBeInstanceOf(StorageUnavailable)
    expect(server.requests.length).toBe(1)
    const told = inspect(failure, { depth: 10, showHidden: true })
    expect(told).not.toContain(access.secretKey)
    expect(told).not.toContain('X-Amz-Signature')
  })
})

test.each(Object.entries(faults))('a server that %s is not ready', async (_fault, fault) => {
  await using server = await scriptedServer(fault.script)
  expect(await storageAt(server.endpoint, fault.deadlines).isReady()).toBe(false)
})

test('a refusal with an endless explanation does not keep its connection', async () => {
  let isClosed = false
  await using server = await scriptedServer((_request, response) => {
    response.on('close', () => (isClosed = true))
    response.writeHead(503).write('no')
  })
  await expect(storageAt(server.endpoint).copy('a', 'b')).rejects.toThrow('503')
  await eventually(() => expect(isClosed).toBe(true))
})

test.each(Object.entries(calls))('a server that is not there fails a %s', async (_name, call) => {
  const server = await scriptedServer(() => {})
  await server[Symbol.asyncDispose]()
  const failure = await failureOf(call(storageAt(server.endpoint)))
  expect(failure).toBeInstanceOf(StorageUnavailable)
  expect(failure).toMatchObject({ message: expect.stringContaining('ECONNREFUSED') })
})

describe('reading', () => {
  test.each<{ what: string; script: Script }>([
    {
      what: 'tells no length',
      script: (_request, response) => {
        response.writeHead(206, { 'Content-Range': 'bytes 0-4/10' }).end('12345')
      },
    },
    {
      what: 'sends all instead of a part',
      script: (_request, response) =>
        response.writeHead(200, { 'Content-Length': '10' }).end('1234567890'),
    },
    {
      what: 'sends another part',
      script: (_request, response) =>
        response
          .writeHead(206, { 'Content-Length': '5', 'Content-Range': 'bytes 5-9/10' })
          .end('67890'),
    },
    {
      what: 'sends a shorter part than it says',
      script: (_request, response) =>
        response
          .writeHead(206, { 'Content-Length': '3', 'Content-Range': 'bytes 0-4/10' })
          .end('123'),
    },
  ])('a server that $what is not believed', async ({ script }) => {
    await using server = await scriptedServer(script)
    const getting = storageAt(server.endpoint).get('a', { start: 0, end: 4 })
    await expect(getting).rejects.toThrow(StorageUnavailable)
  })

  test('an object that is cut short gives its bytes and then fails, and never ends as if whole', async () => {
    await using server = await scriptedServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': '10' }).write('12345', () => response.destroy())
    })
    let received = ''
    const reading = (async () => {
      for await (const chunk of await storageAt(server.endpoint).get('a')) received += String(chunk)
    })()
    await expect(reading).rejects.toThrow('Broken off after 5 of 10 bytes')
    expect(received).toBe('12345')
  })

  test('a reader that goes away ends the transfer', async () => {
    let isClosed = false
    await using server = await scriptedServer((_request, response) => {
      response.on('close', () => (isClosed = true))
      response.writeHead(200, { 'Content-Length': '10' }).write('12345')
    })
    const body = await storageAt(server.endpoint).get('a')
    body.destroy()
    await eventually(() => expect(isClosed).toBe(true))
  })

  test('a caller that gives up does not wait for a server that hangs', async () => {
    await using server = await scriptedServer(() => {})
    const control = new AbortController()
    const getting = storageAt(server.endpoint).get('a', undefined, control.signal)
    control.abort(new Error('given up'))
    await expect(getting).rejects.toThrow('given up')
  })
})

describe('writing', () => {
  test('a refusal ends the sending, with what the server said', async () => {
    await using server = await scriptedServer(s3Error(503, 'SlowDown'))
    const source = endless()
    const putting = storageAt(server.endpoint).put('a', source, {
      ...input,
      contentLength: 1e12,
    })
    await expect(putting).rejects.toThrow(StorageUnavailable)
    expect(source.destroyed).toBe(true)
  })

  test('a server that takes a part for the whole is not believed', async () => {
    await using server = await scriptedServer((_request, response) => void response.end())
    const source = Readable.from(
      (async function* () {
        yield Buffer.alloc(100)
        yield Buffer.alloc(100)
        await new Promise(() => {})
      })(),
    )
    const putting = storageAt(server.endpoint).put('a', source, {
      ...input,
      contentLength: 300,
    })
    await expect(putting).rejects.toThrow('took a part')
  })

  test('a put whose answer was lost can be made again', async () => {
    let isLost = true
    await using server = await scriptedServer((request, response) => {
      request.resume().on('end', () => {
        if (isLost) request.socket.destroy()
        else response.end()
        isLost = false
      })
    })
    const put = () => storageAt(server.endpoint).put('a', Buffer.alloc(10), input)
    await expect(put()).rejects.toThrow(StorageUnavailable)
    await put()
    expect(server.requests).toEqual(['PUT /media/a', 'PUT /media/a'])
  })

  test('no more of a body is read than the server takes', async () => {
    await using server = await scriptedServer(() => {})
    const source = endless()
    const putting = storageAt(server.endpoint, quick).put('a', source, {
      ...input,
      contentLength: 200_000_000,
    })
    await expect(putting).rejects.toThrow('did nothing for 150 ms')
    expect(source.given()).toBeLessThan(50_000_000)
  })
})

describe('copies and lists', () => {
  test('a copy that is answered 200 with an error in it has failed', async () => {
    await using server = await scriptedServer(s3Error(200, 'InternalError'))
    const copying = storageAt(server.endpoint).copy('a', 'b')
    await expect(copying).rejects.toThrow(StorageUnavailable)
  })

  test.each(['', '<NextContinuationToken>again</NextContinuationToken>'])(
    'a list that does not go on is given up (%s)',
    async (token) => {
      await using server = await scriptedServer((_request, response) => {
        response.end(`<ListBucketResult><IsTruncated>true</IsTruncated>${token}</ListBucketResult>`)
      })
      const listing = collect(storageAt(server.endpoint).list(''))
      await expect(listing).rejects.toThrow('where its list goes on')
      expect(server.requests.length).toBeLessThan(3)
    },
  )

  test('a page that is no list is refused', async () => {
    await using server = await scriptedServer((_request, response) => {
      response.end('<html>Welcome</html>')
    })
    const listing = collect(storageAt(server.endpoint).list(''))
    await expect(listing).rejects.toThrow(StorageUnavailable)
  })
})

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
    return undefined
  } catch (error) {
    return error
  }
}

/** A body without end, which counts what was taken of it. */
function endless(): Readable & { given(): number } {
  let given = 0
  const chunk = Buffer.alloc(65_536)
  const source = new Readable({
    read() {
      given += chunk.length
      this.push(chunk)
    },
  })
  return Object.assign(source, { given: () => given })
}
