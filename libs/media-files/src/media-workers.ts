import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { askWorker, type WorkerAnswer } from './ask-worker.ts'
import type { ImageLimits } from './images/convert-image.ts'
import type { FileFacts, Inspection, Thumbnail } from './inspection.ts'
import { type PictureFile, savePicture } from './save-picture.ts'
import type { Task, TaskOf } from './tasks.ts'
import { UnreadableFile } from './unreadable-file.ts'
import { findProgram } from './workers/find-program.ts'
import { type Isolation, probeJail } from './workers/isolation.ts'
import { openLendingDesk } from './workers/lend-file.ts'
import type { TaskLimits } from './workers/task.ts'
import { openWorkerPool } from './workers/worker-pool.ts'

/** Settings of the workers; each has a default. */
export type MediaWorkersOptions = {
  /** Worker processes at most, 2. They are started when there is something to read. */
  workers?: number
  /** Files that may wait for a worker, 100. The next one is refused with `WorkersBusy`. */
  maxWaiting?: number
  /** How long a file may wait for a worker, 60,000. */
  maxWaitMs?: number
  /** How long a look at one file may take, on the clock and of processor time, 20,000. Other work gets 2.5 times that. */
  fileMs?: number
  /** Resident memory of one worker, 512 MiB. */
  memoryBytes?: number
  /** A worker without work is ended after this time, 60,000. */
  idleMs?: number
  /** Files that one worker reads before it is replaced, 50. */
  filesPerWorker?: number
  /** ffmpeg for thumbnails of videos; null for none. Without it the one on the PATH is used if there is one. */
  ffmpegPath?: string | null
}

/** Reads files of strangers in processes of their own. Every call may throw `UnreadableFile` or `WorkersBusy`. */
export type MediaWorkers = {
  /** Says what a file really is. A thumbnail is written into `thumbnailFolder` when one is given. */
  inspect: (path: string, options?: { thumbnailFolder?: string }) => Promise<Inspection>
  /**
   * Makes a picture that fits the limits, without metadata, and writes it into `outputFolder`, or answers the file
   * itself, untouched, when it fits as it is and cannot tell where it was taken. The file has been inspected before.
   */
  convertImage: (
    path: string,
    limits: ImageLimits & { outputFolder: string },
  ) => Promise<PictureFile>
  /** Says in a sentence or two what a file shows, or null. */
  describe: (path: string, facts: FileFacts) => Promise<string | null>
  /** What holds the workers back on this machine. */
  isolation: () => Isolation
  /** The process ids of the workers that live now. */
  pids: () => number[]
  /** Ends all workers; what they were doing fails. */
  close: () => Promise<void>
}

// What is sent back must fit in the worker's memory beside the picture that it was made from.
const MAX_PICTURE_BYTES = 64 * 1024 * 1024
// To find text in a picture, and to try until one fits, takes longer than to decode it.
const SLOW_FACTOR = 2.5
// Room for what a process has reserved and not used; beyond it the kernel is quicker than the watch.
const RESERVED_BYTES = 1536 * 1024 * 1024

/** Finds out how workers can be locked in on this machine and makes ready to start them. */
export async function openMediaWorkers(options: MediaWorkersOptions = {}): Promise<MediaWorkers> {
  const { fileMs = 20_000, memoryBytes = 512 * 1024 * 1024, filesPerWorker = 50 } = options
  const module = fileURLToPath(new URL('./worker.ts', import.meta.url))
  const jail = await probeJail({
    readableFile: module,
    limits: {
      cpuSeconds: Math.ceil((filesPerWorker * SLOW_FACTOR * fileMs) / 1_000),
      memoryBytes: memoryBytes + RESERVED_BYTES,
    },
  })
  const { ffmpegPath: ffmpeg = await findProgram('ffmpeg') } = options
  const desk = await openLendingDesk({ isOtherUser: jail.isolation.userId !== null })
  const pool = openWorkerPool({
    jail: jail.command,
    module,
    maxBodyBytes: MAX_PICTURE_BYTES,
    size: options.workers ?? 2,
    maxWaiting: options.maxWaiting ?? 100,
    maxWaitMs: options.maxWaitMs ?? 60_000,
    idleMs: options.idleMs ?? 60_000,
    tasksPerWorker: filesPerWorker,
  })
  const ask: Ask = (file, task) => {
    const isSlow = task.kind === 'describe' || task.kind === 'convert'
    const taskMs = isSlow ? fileMs * SLOW_FACTOR : fileMs
    const limits: TaskLimits = { wallMs: taskMs, cpuMs: taskMs, memoryBytes }
    return desk.lend(file, (path) => askWorker(pool, { path, task }, limits))
  }
  return {
    inspect: (path, { thumbnailFolder } = {}) => inspect(ask, path, { thumbnailFolder, ffmpeg }),
    convertImage: (path, limits) => convert(ask, path, limits),
    describe: async (path, facts) => {
      const { result } = await ask(path, { kind: 'describe', facts })
      return result.description
    },
    isolation: () => jail.isolation,
    pids: pool.pids,
    close: async () => {
      await pool.close()
      await desk.close()
    },
  }
}

type Ask = <Kind extends Task['kind']>(
  path: string,
  task: TaskOf<Kind>,
) => Promise<WorkerAnswer<Kind>>

async function inspect(
  ask: Ask,
  path: string,
  options: { thumbnailFolder: string | undefined; ffmpeg: string | null },
): Promise<Inspection> {
  const { thumbnailFolder: folder, ffmpeg } = options
  const wantsThumbnail = folder !== undefined
  const { result, picture } = await ask(path, { kind: 'inspect', wantsThumbnail })
  const { facts } = result
  if (folder === undefined) return { ...facts, thumbnail: null }
  if (facts.type === 'video' && ffmpeg) {
    const frame = await frameOf(ask, path, { kind: 'frame', facts, ffmpeg })
    return { ...facts, thumbnail: frame && (await saveThumbnail(folder, frame)) }
  }
  const thumbnail = result.picture && { result: { picture: result.picture }, picture }
  return { ...facts, thumbnail: thumbnail && (await saveThumbnail(folder, thumbnail)) }
}

/** A video is as good without a thumbnail, so whatever a decoder of videos makes of it costs only that. */
async function frameOf(
  ask: Ask,
  path: string,
  task: TaskOf<'frame'>,
): Promise<WorkerAnswer<'frame'> | null> {
  try {
    return await ask(path, task)
  } catch (error) {
    if (error instanceof UnreadableFile) return null
    throw error
  }
}

async function saveThumbnail(
  folder: string,
  { result, picture }: WorkerAnswer<'frame'>,
): Promise<Thumbnail> {
  return savePicture(folder, result.picture, picture)
}

async function convert(
  ask: Ask,
  path: string,
  { outputFolder, ...accepted }: ImageLimits & { outputFolder: string },
): Promise<PictureFile> {
  const limits = { ...accepted, maxBytes: Math.min(accepted.maxBytes, MAX_PICTURE_BYTES) }
  const { result, picture } = await ask(path, { kind: 'convert', limits })
  if ('original' in result) {
    return { ...result.original, path, sizeBytes: (await stat(path)).size }
  }
  const isWithin = picture.length <= limits.maxBytes
  if (!isWithin || !limits.mimeTypes.includes(result.made.mimeType)) {
    throw new UnreadableFile('This file cannot be read.')
  }
  return savePicture(outputFolder, result.made, picture)
}
