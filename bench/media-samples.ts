import { randomFillSync } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, deflateSync, inflateRawSync } from 'node:zlib'
import { openMediaWorkers } from '@herald/media-files/media-workers'

/** An MP4 of five seconds without a picture in it. */
const VIDEO = inflateRawSync(
  Buffer.from(
    'vVE7CsJAFJwkhY2dKVKkUPAC3sBTWNnEbNYsyRrJewa0CtjYeTPPYW9nJWb9JEEFQRxY5v1g3uwD4EpeLxVl' +
      'GgAM23OdZQWAVBexQAPOEejt8HNYJ86DBMCUk0rTqTcNvdC1PudjAHYJWHHV3GuhgsqX+JcvDGKR5vekUCJq' +
      'D5y1WkgAQ2HYF3kka3a6qzzt3+ID8SwFIIlJ1GYmQRGO3m1gl8b+1/CImWoqlvkm+MQUNuuP5xHTpnWQ66Yu' +
      'cZg9a/bWnCHgzh9wAQ==',
    'base64',
  ),
)
const MEGABYTE = 1024 * 1024

/** Writes a video of exactly so many bytes, most of which are of no meaning, and answers its path. */
export async function videoFile(folder: string, sizeBytes: number): Promise<string> {
  const path = join(folder, 'video.mp4')
  const filler = sizeBytes - VIDEO.length - 8
  const head = Buffer.alloc(8)
  head.writeUInt32BE(filler + 8)
  head.write('free', 4)
  const noise = randomFillSync(Buffer.alloc(MEGABYTE))
  const chunks = function* () {
    yield Buffer.concat([VIDEO, head])
    for (let left = filler; left > 0; left -= MEGABYTE) yield noise.subarray(0, left)
  }
  await pipeline(Readable.from(chunks()), createWriteStream(path, { flush: true }))
  return path
}

/** A JPEG of at most so many bytes, and not many less, as full of detail as a photo. */
export async function photo(folder: string, mostBytes: number): Promise<Buffer> {
  const path = join(folder, 'noise.png')
  await writeFile(path, noisyPng(2_400, 1_600))
  const workers = await openMediaWorkers()
  try {
    const limits = { mimeTypes: ['image/jpeg'], maxBytes: mostBytes, outputFolder: folder }
    const { path: made } = await workers.convertImage(path, limits)
    return await readFile(made)
  } finally {
    await workers.close()
  }
}

function noisyPng(width: number, height: number): Buffer {
  const rows = randomFillSync(Buffer.alloc((width * 3 + 1) * height))
  // Colours near each other, so that it is more like a photo than like a broken screen.
  for (let at = 0; at < rows.length; at++)
    rows[at] = at % (width * 3 + 1) === 0 ? 0 : 96 + (rows[at] ?? 0) / 4
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const pixels = deflateSync(rows, { level: 1 })
  return Buffer.concat([
    signature,
    pngChunk('IHDR', header),
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
