import { cutOff, tooMuch, type LimitedFile } from '../documents/limited-file.ts'
import { UnreadableFile } from '../unreadable-file.ts'
import {
  findElement,
  MAX_HEADER_BYTES,
  readElementHeader,
  readFloat,
  readUint,
  variableLength,
  type ElementHeader,
} from './ebml.ts'
import { NOT_A_VIDEO, type UncheckedFacts } from './video-facts.ts'
import { readVideoTrack, type VideoTrack } from './webm-track.ts'

const EBML = 0x1a45dfa3
const DOC_TYPE = 0x4282
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const TIMESTAMP_SCALE = 0x2ad7b1
const DURATION = 0x4489
const TRACKS = 0x1654ae6b
const CLUSTER = 0x1f43b675
const CLUSTER_TIMESTAMP = 0xe7
const BLOCK_GROUP = 0xa0
const BLOCKS = new Set([0xa3, 0xa1])

const MAX_METADATA_BYTES = 4 * 1024 * 1024
const DEFAULT_NANOSECONDS_PER_TICK = 1_000_000

type Progress = {
  track: VideoTrack | undefined
  nanosecondsPerTick: number
  /** As the file says it, in ticks; 0 when it does not, as live recorders do. */
  duration: number
  clusterTick: number
  lastTick: number
  hasMedia: boolean
}

type Place = { start: number; size: number }

/**
 * Reads a WEBM file. It is walked forward only: a segment, a cluster and a group of blocks are entered, so it does not
 * matter whether their sizes are known; everything else is read or skipped.
 */
export async function inspectWebm(file: LimitedFile): Promise<UncheckedFacts> {
  const progress: Progress = {
    track: undefined,
    nanosecondsPerTick: DEFAULT_NANOSECONDS_PER_TICK,
    duration: 0,
    clusterTick: 0,
    lastTick: 0,
    hasMedia: false,
  }
  let position = await skipDocumentHeader(file)
  let end = file.size
  for (let isInSegment = false; position < end;) {
    const header = await readHeader(file, position, end)
    const start = position + header.headerSize
    const size = header.size ?? end - start
    if (size > end - start) throw cutOff()
    if (header.id === SEGMENT && isInSegment) throw cutOff()
    if (header.id === SEGMENT) {
      isInSegment = true
      end = start + size
    }
    const isEntered = header.id === SEGMENT || isEnteredInSegment(header, progress)
    if (!isEntered && header.size === undefined) throw cutOff()
    if (!isEntered) await readElement(file, header.id, { start, size }, progress)
    position = isEntered ? start : start + size
  }
  return facts(progress)
}

/** A cluster with a size need not be entered when the duration is known. */
function isEnteredInSegment({ id, size }: ElementHeader, { duration }: Progress): boolean {
  return id === BLOCK_GROUP || (id === CLUSTER && (size === undefined || duration === 0))
}

async function readElement(
  file: LimitedFile,
  id: number,
  place: Place,
  progress: Progress,
): Promise<void> {
  if (id === INFO) readInfo(await readMetadata(file, place), progress)
  if (id === TRACKS) progress.track ??= readVideoTrack(await readMetadata(file, place))
  if (id === CLUSTER && place.size > 0) progress.hasMedia = true
  if (id === CLUSTER_TIMESTAMP) {
    progress.clusterTick = readUint(await readMetadata(file, place))
  }
  if (BLOCKS.has(id)) {
    progress.hasMedia = true
    const tick = progress.clusterTick + (await readBlockTick(file, place))
    progress.lastTick = Math.max(progress.lastTick, tick)
  }
}

/** A block begins with the number of its track, and its time since that of the cluster. */
async function readBlockTick(file: LimitedFile, { start, size }: Place): Promise<number> {
  const bytes = await file.read(start, Math.min(size, 10))
  return bytes.readInt16BE(variableLength(bytes))
}

function readInfo(info: Buffer, progress: Progress): void {
  const scale = findElement(info, TIMESTAMP_SCALE)
  const duration = findElement(info, DURATION)
  if (scale) progress.nanosecondsPerTick = readUint(scale)
  if (duration) progress.duration = readFloat(duration)
}

function facts({ track, hasMedia, duration, lastTick, nanosecondsPerTick }: Progress) {
  if (!track) throw cutOff()
  if (!hasMedia) throw new UnreadableFile('The video has no pictures.')
  const seconds = ((duration || lastTick) * nanosecondsPerTick) / 1e9
  return { mimeType: 'video/webm' as const, ...track, seconds }
}

/** Returns where the document begins. WEBM is the profile of Matroska whose header says so; others are refused. */
async function skipDocumentHeader(file: LimitedFile): Promise<number> {
  const { id, headerSize, size } = await readHeader(file, 0, file.size)
  if (id !== EBML || size === undefined) throw new UnreadableFile(NOT_A_VIDEO)
  const header = await readMetadata(file, { start: headerSize, size })
  const docType = findElement(header, DOC_TYPE)?.toString('latin1').replace(/\0+$/, '')
  if (docType !== 'webm') throw new UnreadableFile(NOT_A_VIDEO)
  return headerSize + size
}

async function readHeader(file: LimitedFile, position: number, end: number) {
  return readElementHeader(await file.read(position, Math.min(MAX_HEADER_BYTES, end - position)))
}

async function readMetadata(file: LimitedFile, { start, size }: Place): Promise<Buffer> {
  if (size > MAX_METADATA_BYTES) throw tooMuch()
  return file.read(start, size)
}
