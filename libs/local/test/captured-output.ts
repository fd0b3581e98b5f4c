/** Everything that this process writes while it is captured, in the order it was written. */
export type CapturedOutput = Disposable & { text: () => string; lines: () => LogLine[] }
export type LogLine = Record<string, unknown> & { level: number; msg?: string }

/**
 * Takes what the process writes to its output, which loggers made from now on write to as well. Lines that are not
 * written as JSON are left out of `lines`, and are in `text`.
 */
export function captureOutput(): CapturedOutput {
  const chunks: string[] = []
  const restore = [process.stdout, process.stderr].map((stream) => {
    const original = Object.getOwnPropertyDescriptor(stream, 'write')
    // A logger looks whether somebody stands in for the stream, and then writes through it.
    stream.write = (chunk: unknown, ...rest: unknown[]) => {
      chunks.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString())
      const done = rest.find((one) => typeof one === 'function')
      if (done) process.nextTick(done)
      return true
    }
    return () => {
      if (original) Object.defineProperty(stream, 'write', original)
      else Reflect.deleteProperty(stream, 'write')
    }
  })
  return {
    text: () => chunks.join(''),
    lines: () => chunks.join('').split('\n').flatMap(parseLine),
    [Symbol.dispose]: () => restore.forEach((one) => one()),
  }
}

function parseLine(text: string): LogLine[] {
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null && 'level' in line ? [line as LogLine] : []
  } catch {
    return []
  }
}
