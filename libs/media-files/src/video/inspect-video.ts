import { readLimited, type LimitedFile } from '../documents/limited-file.ts'
import { UnreadableFile } from '../unreadable-file.ts'
import { inspectIsoMedia } from './inspect-iso-media.ts'
import { inspectWebm } from './inspect-webm.ts'
import { checkFacts, NOT_A_VIDEO, type UncheckedFacts, type VideoFacts } from './video-facts.ts'

// An hour of a live recording in WEBM has about 300,000 blocks. A walk forward reads each byte at most once, and
// videos have at most 200 MB.
const LIMITS = { pieces: 1_000_000, bytes: 256 * 1024 * 1024 }

/**
 * The containers are read here and not by `mediabunny` 1.61, which is made for files that one trusts: an MP4 of one
 * kilobyte whose `stts` claims 2^32 samples ends the process for want of memory, so do 10,000 tracks; nested boxes
 * exhaust the stack; and it takes files that were cut in half and files that refer to media elsewhere.
 *
 * Reads from the container of an MP4, MOV or WEBM file what it is, how large as displayed, and how long, to the nearest
 * second and at least 1. Nothing is decoded. Throws `UnreadableFile` for anything else, for files without pictures,
 * and for files whose structure says that a part of them is missing or elsewhere.
 */
export async function inspectVideo(path: string): Promise<VideoFacts> {
  return checkFacts(await readLimited(path, LIMITS, inspect))
}

async function inspect(file: LimitedFile): Promise<UncheckedFacts> {
  if (file.size < 16) throw new UnreadableFile(NOT_A_VIDEO)
  const start = await file.read(0, 8)
  if (start.readUInt32BE(0) === 0x1a45dfa3) return inspectWebm(file)
  if (start.toString('latin1', 4) === 'ftyp') return inspectIsoMedia(file)
  throw new UnreadableFile(NOT_A_VIDEO)
}
