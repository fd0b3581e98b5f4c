import { Readable, Transform } from 'node:stream'
import { BodyStalled, StorageUnavailable, WrongLength } from './errors.ts'

/**
 * A stream from the store as its reader gets it: fails with `StorageUnavailable` when the source fails, ends before
 * `length` bytes, or gives nothing for `idleMs` although the reader waits. Ends the source when the reader goes away.
 */
export function guardedBody(source: Readable, length: number, idleMs: number): Readable {
  let received = 0
  const fail = (message: string, cause?: unknown) =>
    body.destroy(new StorageUnavailable(message, { cause }))
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length
      timer.refresh()
      done(null, chunk)
    },
    flush(done) {
      clearTimeout(timer)
      const isWhole = received === length
      done(isWhole ? null : new StorageUnavailable(`${received} of ${length} bytes came.`))
    },
  })
  const timer = setTimeout(() => {
    // A reader that takes its time is not the fault of the store.
    if (body.readableLength > 0) timer.refresh()
    else fail(`Nothing came for ${idleMs} ms after ${received} of ${length} bytes.`)
  }, idleMs)
  source.on('error', (error) => fail(`Broken off after ${received} of ${length} bytes.`, error))
  body.once('close', () => {
    clearTimeout(timer)
    source.destroy()
  })
  return source.pipe(body)
}

/**
 * The chunks of a body, which must have exactly `length` bytes. Each is held back until the next one is there, so the
 * last byte only comes out of a body that has the right length: a store cannot take a body for complete that is not.
 * Throws `WrongLength`, `BodyStalled` when nothing comes for `idleMs`, or what the body throws. A body that is left
 * early is not destroyed.
 */
export async function* exactly(
  body: Readable,
  length: number,
  idleMs: number,
): AsyncGenerator<Uint8Array> {
  let received = 0
  let held: Uint8Array | undefined
  for await (const chunk of unlessStalled(body, idleMs)) {
    received += chunk.length
    if (received > length) throw new WrongLength(`The body has more than ${length} bytes.`)
    if (held !== undefined) yield held
    held = chunk
  }
  if (received < length) throw new WrongLength(`The body has ${received} bytes and not ${length}.`)
  if (held !== undefined) yield held
}

async function* unlessStalled(body: Readable, idleMs: number): AsyncGenerator<Uint8Array> {
  const stalled = () => body.destroy(new BodyStalled(`The body gave nothing for ${idleMs} ms.`))
  // Time counts while the body is waited for, and not while its chunk is worked on.
  let timer = setTimeout(stalled, idleMs)
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      clearTimeout(timer)
      yield chunk
      timer = setTimeout(stalled, idleMs)
    }
  } finally {
    clearTimeout(timer)
  }
}

/** A body as a stream of bytes. */
export function streamOf(body: Readable | Uint8Array): Readable {
  return body instanceof Uint8Array ? Readable.from([body], { objectMode: false }) : body
}
