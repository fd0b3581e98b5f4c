import { cutOff } from '../documents/limited-file.ts'
import { findBox, readUint64, requireBox } from './boxes.ts'

type SampleSizes = { count: number; sizeOf: (index: number) => number; fixed: number }

/**
 * Adds up the media that the sample table of a track (`stbl`) points at, in bytes. Throws `UnreadableFile` when some of
 * it lies outside the file, as when a file was cut off behind its tables. Every loop runs over entries that were
 * really read; a count alone is only ever multiplied.
 */
export function mediaBytes(sampleTable: Buffer, fileSize: number): number {
  const chunkStarts = readChunkStarts(sampleTable)
  const sizes = readSampleSizes(sampleTable)
  const samplesOf = readSamplesPerChunk(requireBox(sampleTable, 'stsc'))
  let total = 0
  let sample = 0
  for (let chunk = 0; chunk < chunkStarts.count && sample < sizes.count; chunk++) {
    const end = Math.min(sample + samplesOf(chunk + 1), sizes.count)
    let bytes = sizes.fixed * (end - sample)
    if (sizes.fixed === 0)
      for (let index = sample; index < end; index++) bytes += sizes.sizeOf(index)
    if (chunkStarts.startOf(chunk) + bytes > fileSize) throw cutOff()
    total += bytes
    sample = end
  }
  // Samples without a chunk would be nowhere.
  if (sample < sizes.count) throw cutOff()
  return total
}

function readChunkStarts(sampleTable: Buffer) {
  const short = findBox(sampleTable, 'stco')
  const table = short ?? requireBox(sampleTable, 'co64')
  const width = short ? 4 : 8
  const count = entryCount(table, 4, width * 8)
  const startOf = (index: number) =>
    short ? table.readUInt32BE(8 + index * 4) : readUint64(table, 8 + index * 8)
  return { count, startOf }
}

function readSampleSizes(sampleTable: Buffer): SampleSizes {
  const table = findBox(sampleTable, 'stsz')
  if (!table) return readCompactSizes(requireBox(sampleTable, 'stz2'))
  const fixed = table.readUInt32BE(4)
  const count = fixed > 0 ? table.readUInt32BE(8) : entryCount(table, 8, 32)
  return { count, fixed, sizeOf: (index) => table.readUInt32BE(12 + index * 4) }
}

function readCompactSizes(table: Buffer): SampleSizes {
  const bits = table.readUInt8(7)
  if (bits !== 4 && bits !== 8 && bits !== 16) throw cutOff()
  const count = entryCount(table, 8, bits)
  const sizeOf = (index: number) => {
    if (bits === 16) return table.readUInt16BE(12 + index * 2)
    if (bits === 8) return table.readUInt8(12 + index)
    return (table.readUInt8(12 + (index >> 1)) >> (index % 2 === 0 ? 4 : 0)) & 0xf
  }
  return { count, fixed: 0, sizeOf }
}

/** How many samples a chunk has. The table names runs of chunks by their first one; chunks are asked for in order. */
function readSamplesPerChunk(table: Buffer): (chunk: number) => number {
  const count = entryCount(table, 4, 96)
  let run = 0
  return (chunk) => {
    while (run + 1 < count && table.readUInt32BE(8 + (run + 1) * 12) <= chunk) run++
    return count === 0 ? 0 : table.readUInt32BE(8 + run * 12 + 4)
  }
}

/** The count of a table's entries, which must all be there. */
function entryCount(table: Buffer, offset: number, bitsPerEntry: number): number {
  const count = table.readUInt32BE(offset)
  if (offset + 4 + (count * bitsPerEntry) / 8 > table.length) throw cutOff()
  return count
}
