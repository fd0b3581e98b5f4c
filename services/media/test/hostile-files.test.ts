import { crc32, deflateRawSync, deflateSync } from 'node:zlib'
import type { FileMimeType } from '@herald/contracts/media'
import { ErrorBody } from '@herald/contracts/errors'
import { openMediaWorkers } from '@herald/media-files/media-workers'
import { eventually } from '@herald/testing/eventually'
import { afterAll, expect, test } from 'vitest'
import { gif, png } from './pictures.ts'
import { SAMPLES } from './samples.ts'
import { mediaWorld, origin, put, refusalOf, uploaded } from './world.ts'

const workers = await openMediaWorkers({ idleMs: 600_000 })
afterAll(() => workers.close())

function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => bytes.writeUInt32BE(value >>> 0, index * 4))
  return bytes
}

function box(type: string, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  return Buffer.concat([u32(payload.length + 8), Buffer.from(type), payload])
}

const FTYP = box('ftyp', Buffer.from('isom\0\0\0\0isom', 'latin1'))

/** A PNG that says that it has so many pixels, and has not. */
function pngClaiming(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    return Buffer.concat([u32(data.length), body, u32(crc32(body))])
  }
  const header = Buffer.concat([u32(width, height), Buffer.of(8, 2, 0, 0, 0)])
  const pixels = deflateSync(Buffer.alloc(1000))
  const signature = png().subarray(0, 8)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A ZIP of these parts, with what its directory says of the size of the last one. */
function zip(parts: Record<string, string | Buffer>, claimedSize?: number): Buffer {
  const [locals, entries]: [Buffer[], Buffer[]] = [[], []]
  let position = 0
  for (const [name, text] of Object.entries(parts)) {
    const content = Buffer.from(text)
    const data = deflateRawSync(content)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(crc32(content), 10)
    fields.writeUInt32LE(data.length, 14)
    fields.writeUInt32LE(claimedSize ?? content.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), data])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(position, 10)
    entries.push(Buffer.from('PK\x01\x02\x14\x00'), fields, rest, Buffer.from(name))
    locals.push(local)
    position += local.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  const count = Object.keys(parts).length
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(position, 16)
  return Buffer.concat([...locals, directory, end])
}

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const WORD_TYPES = (main: string) =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${main}"/></Types>`
const pdfWith = (catalog: string) =>
  Buffer.from(
    SAMPLES.pdf.toString('latin1').replace('/Type/Catalog', `/Type/Catalog${catalog}`),
    'latin1',
  )
const inUtf16 = (text: string) => Buffer.from(text, 'utf16le').toString('latin1')

const DOCX = `${OFFICE}.wordprocessingml.document`

/** What each file is announced as, and its bytes. */
const HOSTILE: [string, string, Buffer][] = [
  ['213: one byte', 'image/png', Buffer.of(0)],
  ['214: half a JPEG', 'image/jpeg', SAMPLES.jpg.subarray(0, SAMPLES.jpg.length / 2)],
  ['215: a PNG that says it has 256 million pixels', 'image/png', pngClaiming(16_000, 16_000)],
  ['216: a PNG that says it has 65,500 pixels a side', 'image/png', pngClaiming(65_500, 65_500)],
  [
    '219: a GIF that is a script',
    'image/gif',
    Buffer.from('GIF89a=1;alert(document.cookie)//'.padEnd(200, ' ')),
  ],
  [
    '223: a drawing that is called a PNG',
    'image/png',
    Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script></svg>',
    ),
  ],
  [
    '224: a picture of HEIF',
    'image/jpeg',
    Buffer.concat([
      box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1')),
      box('mdat', Buffer.alloc(100)),
    ]),
  ],
  ['224: a bitmap', 'image/png', Buffer.concat([Buffer.from('BM'), Buffer.alloc(100)])],
  [
    '225: a playlist that is called a video',
    'video/mp4',
    Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\nhttp://169.254.169.254/\n'),
  ],
  ['226: a video of a head only', 'video/mp4', FTYP],
  [
    '226: a video whose movie has the size of 4 GB',
    'video/mp4',
    Buffer.concat([FTYP, u32(0xffffffff), Buffer.from('moov')]),
  ],
  [
    '226: a video of boxes in boxes',
    'video/mp4',
    Buffer.concat([
      FTYP,
      Array.from({ length: 2_000 }).reduce<Buffer>((inner) => box('moov', inner), Buffer.alloc(0)),
    ]),
  ],
  [
    '227: a Matroska file that is called WEBM',
    'video/webm',
    Buffer.from(SAMPLES.webm.toString('latin1').replace('webm', 'mtrx'), 'latin1'),
  ],
  [
    '230: an ASF file that is read for ever',
    'video/mp4',
    Buffer.concat([Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'), Buffer.alloc(39)]),
  ],
  [
    '231: a PDF that is a page',
    'application/pdf',
    Buffer.from('%PDF-1.4\n<html><script>alert(1)</script></html>'),
  ],
  [
    '231: a PDF with a script',
    'application/pdf',
    pdfWith('/OpenAction<</S/JavaScript/JS(app.alert(1))>>'),
  ],
  [
    '231: a PDF that starts a program',
    'application/pdf',
    pdfWith('/OpenAction<</S/Launch/F(cmd.exe)>>'),
  ],
  ['232: a document of one part', DOCX, zip({ 'word/document.xml': '<a/>' })],
  [
    '232: a document that is a bomb',
    DOCX,
    zip({
      '[Content_Types].xml': WORD_TYPES(`${DOCX}.main+xml`),
      'word/document.xml': Buffer.alloc(300_000_000, ' '),
    }),
  ],
  [
    '232: a document whose part says that it has 4 GB',
    DOCX,
    zip(
      { '[Content_Types].xml': WORD_TYPES(`${DOCX}.main+xml`), 'word/document.xml': '<a/>' },
      0xffffffff,
    ),
  ],
  [
    '233: a document with macros',
    DOCX,
    zip({
      '[Content_Types].xml': WORD_TYPES('application/vnd.ms-word.document.macroEnabled.main+xml'),
      'word/document.xml': '<a/>',
      'word/vbaProject.bin': 'Sub',
    }),
  ],
  [
    '234: a table in the old format that is called a text',
    'application/msword',
    Buffer.from(
      SAMPLES.doc.toString('latin1').replace(inUtf16('WordDocument'), inUtf16('Workbook\0\0\0\0')),
      'latin1',
    ),
  ],
  ['a program', 'image/png', Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)])],
]

test.each(HOSTILE)(
  '%s: 422 by import and by upload, nothing of it stays, and the next file is read',
  async (_name, mimeType, bytes) => {
    await using server = await origin((_request, response) => void response.end(bytes))
    await using world = await mediaWorld({
      deps: () => ({
        inspect: (path, thumbnailFolder) => workers.inspect(path, { thumbnailFolder }),
      }),
    })
    const importing = refusalOf(world.import({ url: `${server.url}/file` }))
    const body = { fileName: 'file', mimeType: mimeType as FileMimeType, fileSize: bytes.length }
    const announced = await world.announce(body)
    expect((await put(announced, bytes)).status).toBe(200)
    const completing = refusalOf(world.complete(announced.media.id))
    for (const refusal of await Promise.all([importing, completing])) {
      expect(refusal).toMatchObject({ status: 422, code: 'validation_failed' })
      expect(ErrorBody.parse(refusal.toBody())).toEqual(refusal.toBody())
      // A sentence for a person that names no path and no program.
      expect(refusal.message).toMatch(/^[A-Z][^/\\]{10,150}\.$/)
      expect(refusal.message).not.toMatch(/sharp|vips|Error|undefined|node/)
    }
    expect((await world.get(announced.media.id)).status).toBe('pending')
    await world.clean()
    expect(await world.objects()).toEqual([])
    expect((await world.list()).data).toEqual([])
    expect(await world.used()).toBe(bytes.length)
    // The bytes can be sent again, and what is good is read.
    await world.remove(announced.media.id)
    expect((await uploaded(world)).status).toBe('ready')
  },
)

test('220: a GIF with a script behind its end is taken, and served as nothing but a GIF', async () => {
  await using world = await mediaWorld()
  const hidden = Buffer.concat([gif(), Buffer.from('PK\x03\x04<script>alert(1)</script>')])
  const media = await uploaded(world, hidden, { fileName: 'a.gif', mimeType: 'image/gif' })
  const answer = await fetch(media.url!)
  expect(answer.headers.get('content-type')).toBe('image/gif')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
})

test('after all of them no worker is at work any more, and none beyond the two that may be', async () => {
  await eventually(() => expect(workers.pids().length).toBeLessThanOrEqual(2))
  await using world = await mediaWorld({
    deps: () => ({
      inspect: (path, thumbnailFolder) => workers.inspect(path, { thumbnailFolder }),
    }),
  })
  const files = await Promise.all(Array.from({ length: 6 }, () => uploaded(world)))
  expect(new Set(files.map(({ status }) => status))).toEqual(new Set(['ready']))
  expect(workers.pids().length).toBeLessThanOrEqual(2)
})
