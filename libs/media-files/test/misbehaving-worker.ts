import { readFileSync, writeSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect, Socket } from 'node:net'
import { NOTES_PIPE, type Note, type Order } from '../src/workers/notes.ts'
import { encodeFrame, frameReader } from '../src/workers/frames.ts'

/** A worker that does what a hostile file could make one do. */

export type Deed =
  | { deed: 'answer'; with: unknown }
  | { deed: 'loop' }
  | { deed: 'sleep' }
  | { deed: 'allocate' }
  | { deed: 'child-allocates' }
  | { deed: 'exit' }
  | { deed: 'crash' }
  | { deed: 'garbage' }
  | { deed: 'endless-message' }
  | { deed: 'answer-twice' }
  | { deed: 'break-json' }
  | { deed: 'exit-unstarted' }
  | { deed: 'surroundings' }
  | { deed: 'connect'; port: number }
  | { deed: 'write-large-file'; file: string }

const pipe = new Socket({ fd: NOTES_PIPE })
const read = frameReader({ maxBodyBytes: 0 })
let current = 0

process.stdin.on('data', (bytes: Buffer) => {
  for (const { head } of read(bytes)) {
    const { task, request } = head as Order
    current = task
    void perform(deedOf(request))
  }
})
process.stdin.on('end', () => process.exit())
say({ ready: true })

/** A request of the media workers carries the deed in place of its path. */
function deedOf(request: unknown): Deed {
  const isOfMediaWorkers = typeof request === 'object' && request !== null && 'path' in request
  return (isOfMediaWorkers ? JSON.parse(String(request.path)) : request) as Deed
}

async function perform(task: Deed): Promise<void> {
  if (task.deed === 'exit-unstarted') process.exit(0)
  say({ task: current, started: true })
  switch (task.deed) {
    case 'answer':
      return reply(task.with)
    case 'loop':
      for (;;);
    case 'sleep':
      return
    case 'allocate':
      return allocate()
    case 'child-allocates': {
      const { spawn } = await import('node:child_process')
      const script = 'const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))'
      spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
      return
    }
    case 'exit':
      return process.exit(0)
    case 'crash':
      return process.abort()
    case 'garbage':
      pipe.write(Buffer.from('<html>this is no message, and it is longer than one</html>'))
      return
    case 'endless-message': {
      pipe.write(Buffer.alloc(8, 0xff))
      return
    }
    case 'answer-twice':
      reply('first')
      return reply('second')
    case 'break-json':
      pipe.write(Buffer.concat([Buffer.from([0, 0, 0, 5, 0, 0, 0, 0]), Buffer.from('{"a":')]))
      return
    case 'surroundings':
      return reply({
        environment: Object.keys(process.env),
        userId: process.getuid?.(),
        noNewPrivileges: /NoNewPrivs:\s+1/.test(readFileSync('/proc/self/status', 'utf8')),
        processId: process.pid,
        canEvaluate: canEvaluate(),
      })
    case 'connect':
      connect(task.port, '127.0.0.1')
        .on('connect', () => reply('connected'))
        .on('error', (error: NodeJS.ErrnoException) => reply(error.code))
      return
    case 'write-large-file':
      return writeFile(task.file, Buffer.alloc(80 * 1024 * 1024)).then(
        () => reply('written'),
        (error: NodeJS.ErrnoException) => reply(error.code),
      )
  }
}

function reply(what: unknown): void {
  say({ task: current, reply: what })
}

function say(note: Note): void {
  // At once, because what follows may never let go of the thread.
  writeSync(NOTES_PIPE, encodeFrame(note))
}

function allocate(): never {
  const all: Buffer[] = []
  for (;;) all.push(Buffer.alloc(10_000_000, 1))
}

function canEvaluate(): boolean {
  try {
    // oxlint-disable-next-line no-implied-eval
    return new Function('return true')() as boolean
  } catch {
    return false
  }
}
