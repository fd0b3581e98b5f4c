import { cutOff, tooMuch } from '../documents/limited-file.ts'
import { UnreadableFile } from '../unreadable-file.ts'
import { boxes, boxFlags, findBox, readUint64, requireBox } from './boxes.ts'
import type { FragmentedTrack, FragmentTime } from './fragments.ts'
import { mediaBytes } from './sample-table.ts'

/** What a movie header (`moov`) says about its picture. */
export type Movie = {
  /** Duration of the whole movie without fragments; 0 when it is not known. */
  seconds: number
  video: FragmentedTrack & {
    /** As displayed, in pixels. */
    width: number
    height: number
    /** Units of the track's time per second. */
    timescale: number
    /** The time that media outside of fragments takes, if there is any. */
    time: FragmentTime | undefined
  }
}

const MAX_TRACKS = 64

/**
 * Reads a movie header, given the size of its file in bytes. Throws `UnreadableFile` when there is no video track, when
 * media is elsewhere than in the file, or when the pictures are encrypted.
 */
export function readMovie(moov: Buffer, fileSize: number): Movie {
  const tracks: Track[] = []
  for (const box of boxes(moov)) {
    if (box.type !== 'trak') continue
    if (tracks.length === MAX_TRACKS) throw tooMuch()
    tracks.push(readTrack(box.payload, fileSize))
  }
  const track = tracks.find(({ handler }) => handler === 'vide')
  if (!track) throw new UnreadableFile('The file has no video track.')
  const movieTime = readTime(requireBox(moov, 'mvhd'))
  const { timescale, units } = readTime(track.mediaHeader)
  return {
    seconds: movieTime.units / movieTime.timescale || units / timescale,
    video: {
      ...readSize(track),
      id: track.id,
      timescale,
      time: track.mediaBytes > 0 ? { start: 0, end: units } : undefined,
      defaultSampleDuration: defaultSampleDuration(moov, track.id),
    },
  }
}

type Track = {
  id: number
  handler: string
  header: Buffer
  mediaHeader: Buffer
  sampleDescription: Buffer
  mediaBytes: number
}

function readTrack(trak: Buffer, fileSize: number): Track {
  const header = requireBox(trak, 'tkhd')
  const media = requireBox(trak, 'mdia')
  const information = requireBox(media, 'minf')
  const sampleTable = requireBox(information, 'stbl')
  refuseOutsideMedia(information)
  return {
    id: header.readUInt32BE(isVersion1(header) ? 20 : 12),
    handler: requireBox(media, 'hdlr').toString('latin1', 8, 12),
    header,
    mediaHeader: requireBox(media, 'mdhd'),
    sampleDescription: requireBox(sampleTable, 'stsd'),
    mediaBytes: mediaBytes(sampleTable, fileSize),
  }
}

/** A data reference says with its lowest flag that the media is in this very file; else a player would fetch it. */
function refuseOutsideMedia(information: Buffer): void {
  const references = findBox(findBox(information, 'dinf') ?? Buffer.alloc(0), 'dref')
  for (const { payload } of boxes(references?.subarray(8) ?? Buffer.alloc(0))) {
    if (boxFlags(payload) & 1) continue
    throw new UnreadableFile('The video refers to media outside of its file.')
  }
}

/** Width and height as displayed: a matrix that turns the picture by a quarter swaps them. */
function readSize({ header, sampleDescription }: Track): { width: number; height: number } {
  const [description] = boxes(sampleDescription.subarray(8))
  if (!description) throw cutOff()
  if (description.type === 'encv') throw new UnreadableFile('The video is copy-protected.')
  const coded = {
    width: description.payload.readUInt16BE(24),
    height: description.payload.readUInt16BE(26),
  }
  const matrix = isVersion1(header) ? 52 : 40
  // The track's size is in 1/65536 pixels, and is 0 when it is that of the coded pictures.
  const width = Math.round(header.readUInt32BE(matrix + 36) / 65_536) || coded.width
  const height = Math.round(header.readUInt32BE(matrix + 40) / 65_536) || coded.height
  const isTurned = header.readInt32BE(matrix) === 0 && header.readInt32BE(matrix + 4) !== 0
  return isTurned ? { width: height, height: width } : { width, height }
}

function defaultSampleDuration(moov: Buffer, trackId: number): number {
  for (const { type, payload } of boxes(findBox(moov, 'mvex') ?? Buffer.alloc(0))) {
    if (type === 'trex' && payload.readUInt32BE(4) === trackId) return payload.readUInt32BE(12)
  }
  return 0
}

/** Time of a movie header or media header: both begin alike. */
function readTime(header: Buffer): { timescale: number; units: number } {
  const timescale = header.readUInt32BE(isVersion1(header) ? 20 : 12)
  if (timescale === 0) throw cutOff()
  const units = isVersion1(header) ? readUint64(header, 24) : header.readUInt32BE(16)
  const isUnknown = units === (isVersion1(header) ? 2 ** 64 : 0xffff_ffff)
  return { timescale, units: isUnknown ? 0 : units }
}

function isVersion1(header: Buffer): boolean {
  return header.readUInt8(0) === 1
}
