import type { IncomingMessage } from 'node:http'
import { finished, Readable } from 'node:stream'
import { refusalOf } from './download-refused.ts'

const BUFFERED_BYTES = 65_536

type Limits = {
  maxBytes: number
  minBytesPerSecond: number
  rateWindowMs: number
  signal: AbortSignal
}

/**
 * The body of an answer, never longer than `maxBytes` and never slower than allowed. Its error is always a
 * DownloadRefused. It may fail before anybody listens: the error then waits for whoever reads.
 */
export function limitedBody(response: IncomingMessage, limits: Limits): Readable {
  const { socket } = response
  let received = 0
  const fail = (reason: 'too_large' | 'too_slow' | 'cut_off', cause?: unknown) =>
    body.destroy(refusalOf(cause, reason, limits.signal))
  const pace = watchPace(limits, () => fail('too_slow'))
  const body = new Readable({
    highWaterMark: BUFFERED_BYTES,
    read() {
      pace.start()
      response.resume()
    },
    destroy(error, done) {
      pace.stop()
      socket.destroy()
      done(error)
    },
  })
  body.on('error', () => undefined)
  limits.signal.addEventListener('abort', () => body.destroy(limits.signal.reason), { once: true })
  response.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received > limits.maxBytes) return fail('too_large')
    pace.count(chunk.length)
    if (body.push(chunk)) return
    // The reader is the slow one now, which is not held against the sender.
    pace.stop()
    response.pause()
  })
  finished(response, (error) => {
    if (error) return fail('cut_off', error)
    pace.stop()
    body.push(null)
  })
  return body
}

/** Calls `onSlow` after a window of time in which fewer bytes came than should have. */
function watchPace({ minBytesPerSecond, rateWindowMs }: Limits, onSlow: () => void) {
  const bytesPerWindow = (minBytesPerSecond * rateWindowMs) / 1_000
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  return {
    start() {
      timer ??= setInterval(() => {
        if (bytes < bytesPerWindow) onSlow()
        bytes = 0
      }, rateWindowMs)
    },
    count(length: number) {
      bytes += length
    },
    stop() {
      clearInterval(timer)
      timer = undefined
      bytes = 0
    },
  }
}
