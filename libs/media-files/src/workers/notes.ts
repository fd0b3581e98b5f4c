import { Socket } from 'node:net'
import { z } from 'zod'
import { encodeFrame, frameReader } from './frames.ts'

/** What a worker tells its parent. The number is that of the task, so that no answer is taken for another one's. */
export const Note = z.union([
  z.strictObject({ ready: z.literal(true) }),
  z.strictObject({ task: z.int(), started: z.literal(true) }),
  z.strictObject({ task: z.int(), reply: z.unknown() }),
])
export type Note = z.infer<typeof Note>

/** What a parent tells its worker. */
export type Order = { task: number; request: unknown }

/** The number of the pipe that notes go through, beside standard input, output and errors. */
export const NOTES_PIPE = 3

/**
 * The worker's side: does what it is told and answers, until the parent closes the pipe or is gone. `perform` must not
 * throw.
 */
export function serveTasks(
  perform: (request: unknown) => Promise<{ reply: unknown; bytes?: Uint8Array }>,
): void {
  const notes = new Socket({ fd: NOTES_PIPE })
  const say = (note: Note, bytes?: Uint8Array) => notes.write(encodeFrame(note, bytes))
  const read = frameReader({ maxBodyBytes: 0 })
  process.stdin.on('data', (bytes: Buffer) => {
    for (const { head } of read(bytes)) {
      const { task, request } = head as Order
      // From here on whatever happens to this process is laid at the file's door.
      say({ task, started: true })
      void perform(request).then((done) => say({ task, reply: done.reply }, done.bytes))
    }
  })
  process.stdin.on('end', () => process.exit())
  say({ ready: true })
}
