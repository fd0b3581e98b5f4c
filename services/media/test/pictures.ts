import { crc32, deflateSync } from 'node:zlib'

/** A PNG of one colour, as small as such a picture is. */
export function png(width = 4, height = 3, [red, green, blue] = [200, 120, 40]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width * 3, Buffer.of(red!, green!, blue!))])
  const pixels = Buffer.concat(Array.from({ length: height }, () => row))
  return Buffer.concat([
    Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A PNG with a comment that makes it exactly so many bytes long. */
export function pngOfSize(sizeBytes: number): Buffer {
  const bare = png()
  const filler = sizeBytes - bare.length - 12
  const comment = Buffer.alloc(filler, 'a')
  comment.write('Comment\0')
  const end = bare.length - 12
  return Buffer.concat([bare.subarray(0, end), chunk('tEXt', comment), bare.subarray(end)])
}

/** A GIF of one black pixel. */
export function gif(): Buffer {
  return Buffer.from('R0lGODdhAQABAIAAAAAAAAAAACwAAAAAAQABAAACAkQBADs=', 'base64')
}

/** A PDF of one empty page, with an object that holds so many bytes of nothing. */
export function pdf(fillerBytes?: number): Buffer {
  const parts = [
    '%PDF-1.4\n',
    '1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n',
    '2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n',
    '3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>\nendobj\n',
  ]
  if (fillerBytes !== undefined)
    parts.push(
      `4 0 obj\n<</Length ${fillerBytes}>>\nstream\n${'a'.repeat(fillerBytes)}\nendstream\nendobj\n`,
    )
  const offsets = parts.map((_, index) => parts.slice(0, index).join('').length)
  const body = parts.join('')
  const rows = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  const table = `xref\n0 ${parts.length}\n0000000000 65535 f \n${rows.join('')}`
  return Buffer.from(
    `${body}${table}trailer\n<</Size ${parts.length}/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF\n`,
  )
}

/** A PDF that is exactly so many bytes long; at least some hundreds. */
export function pdfOfSize(sizeBytes: number): Buffer {
  let filler = sizeBytes - pdf(0).length
  // Lengths and positions are written in as many digits as they have.
  filler -= pdf(filler).length - sizeBytes
  return pdf(filler)
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
