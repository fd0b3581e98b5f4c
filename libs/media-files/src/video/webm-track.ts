import { cutOff, tooMuch } from '../documents/limited-file.ts'
import { UnreadableFile } from '../unreadable-file.ts'
import { elements, findElement, readFloat, readUint } from './ebml.ts'

/** Size of a video track as displayed, in pixels. */
export type VideoTrack = { width: number; height: number }

const TRACK_ENTRY = 0xae
const TRACK_TYPE = 0x83
const VIDEO_TYPE = 1
const CODEC_ID = 0x86
const ENCODINGS = 0x6d80
const VIDEO = 0xe0
const PIXEL_WIDTH = 0xb0
const PIXEL_HEIGHT = 0xba
const DISPLAY_WIDTH = 0x54b0
const DISPLAY_HEIGHT = 0x54ba
const DISPLAY_UNIT = 0x54b2
const PROJECTION = 0x7670
const ROLL_DEGREES = 0x7675

const MAX_TRACKS = 64
const CODECS = new Set(['V_VP8', 'V_VP9', 'V_AV1'])

/** The first video track among those of a WEBM file. Throws `UnreadableFile` when there is none that can be played. */
export function readVideoTrack(tracks: Buffer): VideoTrack {
  const entries: Buffer[] = []
  for (const { id, payload } of elements(tracks)) {
    if (id !== TRACK_ENTRY) continue
    if (entries.length === MAX_TRACKS) throw tooMuch()
    entries.push(payload)
  }
  const entry = entries.find((payload) => readUintElement(payload, TRACK_TYPE) === VIDEO_TYPE)
  if (!entry) throw new UnreadableFile('The file has no video track.')
  const codec = findElement(entry, CODEC_ID)?.toString('latin1').replace(/\0+$/, '')
  if (!codec || !CODECS.has(codec)) {
    throw new UnreadableFile('A WEBM video must be encoded as VP8, VP9 or AV1.')
  }
  // In WEBM these can only be encryption.
  if (findElement(entry, ENCODINGS)) throw new UnreadableFile('The video is copy-protected.')
  const video = findElement(entry, VIDEO)
  if (!video) throw cutOff()
  return displaySize(video)
}

/** The display size counts when it is in pixels (unit 0); in other units it is only a ratio. */
function displaySize(video: Buffer): VideoTrack {
  const isInPixels = !readUintElement(video, DISPLAY_UNIT)
  const shown = (id: number) => (isInPixels ? readUintElement(video, id) : undefined)
  const width = shown(DISPLAY_WIDTH) || readUintElement(video, PIXEL_WIDTH) || 0
  const height = shown(DISPLAY_HEIGHT) || readUintElement(video, PIXEL_HEIGHT) || 0
  const projection = findElement(video, PROJECTION)
  const roll = projection && findElement(projection, ROLL_DEGREES)
  const isTurned = roll !== undefined && Math.abs(Math.round(readFloat(roll) / 90)) % 2 === 1
  return isTurned ? { width: height, height: width } : { width, height }
}

function readUintElement(data: Buffer, id: number): number | undefined {
  const payload = findElement(data, id)
  return payload && readUint(payload)
}
