import { crc32, deflateRawSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'

/** So long that a busy machine fails no test. */
export const STEP_MS = 50_000

/** Letters as they stand on a grid of 5 by 7, so that tests need no font. */
const LETTERS: Record<string, string[]> = {
  E: ['#####', '#....', '#....', '####.', '#....', '#....', '#####'],
  H: ['#...#', '#...#', '#...#', '#####', '#...#', '#...#', '#...#'],
  L: ['#....', '#....', '#....', '#....', '#....', '#....', '#####'],
  O: ['.###.', '#...#', '#...#', '#...#', '#...#', '#...#', '.###.'],
  T: ['#####', '..#..', '..#..', '..#..', '..#..', '..#..', '..#..'],
}

/** Draws dark words on a light ground, letter by letter, in pixels of `unit` size. */
export function pictureOf(words: string, unit = 12): Sharp {
  const cells = words
    .split('')
    .flatMap((letter, at) =>
      (LETTERS[letter] ?? []).flatMap((row, y) =>
        row.split('').flatMap((cell, x) => (cell === '#' ? [[at * 6.5 + x, y] as const] : [])),
      ),
    )
  const dots = cells.map(([x, y]) => `<rect x="${x}" y="${y}" width="1.02" height="1.02"/>`)
  const width = words.length * 6.5 + 6
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width * unit}" height="${15 * unit}" viewBox="-4 -4 ${width} 15">
    <rect x="-4" y="-4" width="100%" height="100%" fill="#f2f2f2"/><g fill="#101010">${dots.join('')}</g></svg>`
  return sharp(Buffer.from(svg)).png()
}

/** A PDF file with one page per text. What does not fit on a page is not part of its text. */
export function pdfOf(...pages: string[]): Buffer {
  const first = 4
  const kids = pages.map((_, at) => `${first + at * 2} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, at) => {
      const lines = text.split('\n').map((line) => `(${line}) Tj 0 -20 Td`)
      const stream = `BT /F1 12 Tf 72 14000 Td ${lines.join(' ')} ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 14400] /Contents ${first + at * 2 + 1} 0 R
           /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ]
    }),
  ]
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, at) => {
    const offset = body.length
    body += `${at + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF`
  return Buffer.from(`${body}${table}${trailer}`, 'latin1')
}

/** A zip archive with these files in it. */
export function zipOf(files: Record<string, string | Buffer>): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const data = deflateRawSync(content)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(Buffer.byteLength(content), 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), data])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    const made = Buffer.from([20, 0])
    centrals.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002'), made, common, rest, Buffer.from(name)]),
    )
    locals.push(local)
    offset += local.length
  }
  const central = Buffer.concat(centrals)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(centrals.length, 4)
  end.writeUInt16LE(centrals.length, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, central, Buffer.from('PK\u0005\u0006'), end])
}
