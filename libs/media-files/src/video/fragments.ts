import { cutOff } from '../documents/limited-file.ts'
import { boxes, boxFlags, findBox, readUint64, requireBox } from './boxes.ts'

/** The time that a track covers in fragments (`moof`), in units of the track. */
export type FragmentTime = { start: number; end: number }

/** The track whose time is measured. */
export type FragmentedTrack = {
  id: number
  /** How long a sample is of which no fragment says it, in units of the track. */
  defaultSampleDuration: number
}

/** The time covered so far and one more fragment. A fragment that does not say when it begins follows the last one. */
export function addFragment(
  time: FragmentTime | undefined,
  moof: Buffer,
  track: FragmentedTrack,
): FragmentTime | undefined {
  let covered = time
  for (const box of boxes(moof)) {
    if (box.type !== 'traf') continue
    const header = requireBox(box.payload, 'tfhd')
    if (header.readUInt32BE(4) !== track.id) continue
    const start = startTime(box.payload) ?? covered?.end ?? 0
    const end = start + duration(box.payload, header, track.defaultSampleDuration)
    covered = {
      start: Math.min(covered?.start ?? start, start),
      end: Math.max(covered?.end ?? end, end),
    }
  }
  return covered
}

function startTime(fragment: Buffer): number | undefined {
  const box = findBox(fragment, 'tfdt')
  if (!box) return undefined
  return box.readUInt8(0) === 1 ? readUint64(box, 4) : box.readUInt32BE(4)
}

function duration(fragment: Buffer, header: Buffer, trackDefault: number): number {
  const perSample = defaultDuration(header) ?? trackDefault
  let sum = 0
  for (const box of boxes(fragment)) {
    if (box.type === 'trun') sum += runDuration(box.payload, perSample)
  }
  return sum
}

function defaultDuration(header: Buffer): number | undefined {
  const flags = boxFlags(header)
  if (!(flags & 0x08)) return undefined
  return header.readUInt32BE(8 + (flags & 0x01 ? 8 : 0) + (flags & 0x02 ? 4 : 0))
}

/** Duration of a run of samples. Its flags say which fields of four bytes each sample has. */
function runDuration(run: Buffer, defaultSampleDuration: number): number {
  const flags = boxFlags(run)
  const count = run.readUInt32BE(4)
  const width = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length
  const first = 8 + (flags & 0x01 ? 4 : 0) + (flags & 0x04 ? 4 : 0)
  if (first + count * width > run.length) throw cutOff()
  if (!(flags & 0x100)) return count * defaultSampleDuration
  let sum = 0
  for (let index = 0; index < count; index++) sum += run.readUInt32BE(first + index * width)
  return sum
}
