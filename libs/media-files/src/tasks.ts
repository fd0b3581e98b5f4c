import { z } from 'zod'
import type { ImageLimits } from './images/convert-image.ts'
import { FileFacts, PictureFacts, ThumbnailFacts } from './inspection.ts'

/** What a worker can be asked about a file. */
export type Task =
  | { kind: 'inspect'; wantsThumbnail: boolean }
  | { kind: 'frame'; facts: FileFacts; ffmpeg: string }
  | { kind: 'convert'; limits: ImageLimits }
  | { kind: 'describe'; facts: FileFacts }

/** A task with its file, at an absolute path that the worker can read. */
export type Request = { path: string; task: Task }

/** The task of a kind. */
export type TaskOf<Kind extends Task['kind']> = Extract<Task, { kind: Kind }>

/** What it answers: facts, with the bytes of a picture beside them when `picture` or `made` says so. */
export const RESULTS = {
  inspect: z.strictObject({ facts: FileFacts, picture: ThumbnailFacts.nullable() }),
  frame: z.strictObject({ picture: ThumbnailFacts }),
  convert: z.union([
    z.strictObject({ original: PictureFacts }),
    z.strictObject({ made: PictureFacts }),
  ]),
  describe: z.strictObject({ description: z.string().max(10_000).nullable() }),
} as const

/** The result of a kind of task. */
export type Result<Kind extends Task['kind']> = z.infer<(typeof RESULTS)[Kind]>

/**
 * The head of each reply. `unreadable` is the file's fault and its message is for a person; `failed` is the machine's,
 * such as a full disk, and its message is for the log.
 */
export const Reply = z.union([
  z.strictObject({ result: z.unknown() }),
  z.strictObject({ unreadable: z.string().max(300), because: z.string().max(2_000).optional() }),
  z.strictObject({ failed: z.string().max(2_000) }),
])
export type Reply = z.infer<typeof Reply>
