import { convertImage } from './images/convert-image.ts'
import { inspectImage } from './images/inspect-image.ts'
import { isImageType } from './images/measure-image.ts'
import { type MadeThumbnail, makeThumbnail } from './images/thumbnail.ts'
import { type FileFacts, MEDIA_TYPES } from './inspection.ts'
import { isContainer, notSupported, sniff } from './sniff.ts'
import type { Reply, Request, Result, Task, TaskOf } from './tasks.ts'
import { UnreadableFile } from './unreadable-file.ts'
import { frameOfVideo } from './video-frame.ts'
import { serveTasks } from './workers/notes.ts'

/**
 * The program of a worker process. It reads files of strangers and may be taken over by one at any time: it has no
 * secrets, writes no files, and its parent believes nothing that it says.
 */

type Work<Kind extends Task['kind']> = (
  path: string,
  task: TaskOf<Kind>,
) => Promise<{ result: Result<Kind>; bytes?: Buffer }>

const WORK: { [Kind in Task['kind']]: Work<Kind> } = {
  async inspect(path, { wantsThumbnail }) {
    const facts = await inspectFile(path)
    const isPicture = isImageType(facts.mimeType)
    return withPicture(facts, isPicture && wantsThumbnail ? await makeThumbnail(path) : null)
  },
  async frame(path, { facts, ffmpeg }) {
    const picture = await makeThumbnail(await frameOfVideo({ path, facts, ffmpeg }))
    return { result: { picture: picture.facts }, bytes: picture.bytes }
  },
  async convert(path, { limits }) {
    const converted = await convertImage(path, limits)
    if ('original' in converted) return { result: converted }
    return { result: { made: converted.made.facts }, bytes: converted.made.bytes }
  },
  async describe(path, { facts }) {
    // The describer and the readers of videos and documents are loaded when they are needed first: most files are
    // pictures, and a worker should be there quickly.
    const { describeFile } = await import('./describe/describe-file.ts')
    return { result: { description: await describeFile(path, facts) } }
  },
}

async function inspectFile(path: string): Promise<FileFacts> {
  const { mimeType } = await sniff(path)
  if (isImageType(mimeType)) return inspectImage(path)
  if (isContainer(mimeType) || MEDIA_TYPES[mimeType] === 'document') {
    const { inspectDocument } = await import('./documents/inspect-document.ts')
    const document = await inspectDocument(path, mimeType)
    return { ...factsOf(document.mimeType), pages: document.pages }
  }
  const { inspectVideo } = await import('./video/inspect-video.ts')
  const { mimeType: videoType, ...measures } = await inspectVideo(path)
  return { ...factsOf(videoType), ...measures }
}

function factsOf(mimeType: string): FileFacts {
  const type = Object.entries(MEDIA_TYPES).find(([known]) => known === mimeType)?.[1]
  if (!type) throw notSupported()
  const none = { width: null, height: null, durationSeconds: null, pages: null }
  return { type, mimeType, ...none, isAnimated: false }
}

function withPicture(facts: FileFacts, picture: MadeThumbnail | null) {
  const result = { facts, picture: picture?.facts ?? null }
  return picture ? { result, bytes: picture.bytes } : { result }
}

async function perform(request: Request): Promise<{ reply: Reply; bytes?: Buffer }> {
  try {
    const { result, bytes } = await work(request)
    return bytes ? { reply: { result }, bytes } : { reply: { result } }
  } catch (error) {
    return { reply: refusal(error) }
  }
}

function work({ path, task }: Request) {
  switch (task.kind) {
    case 'inspect':
      return WORK.inspect(path, task)
    case 'frame':
      return WORK.frame(path, task)
    case 'convert':
      return WORK.convert(path, task)
    case 'describe':
      return WORK.describe(path, task)
  }
}

function refusal(error: unknown): Reply {
  const text = String(error instanceof Error ? (error.stack ?? error.message) : error).slice(
    0,
    2_000,
  )
  // A failed call of the system, as on a broken disk, says nothing of the file.
  if (error instanceof Error && 'syscall' in error) return { failed: text }
  if (!(error instanceof UnreadableFile)) {
    return { unreadable: 'This file cannot be read.', because: text }
  }
  const because = error.cause instanceof Error ? error.cause.message.slice(0, 2_000) : undefined
  return { unreadable: error.message.slice(0, 300), ...(because && { because }) }
}

serveTasks((request) => perform(request as Request))
