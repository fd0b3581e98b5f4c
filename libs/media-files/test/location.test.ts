import { readFile } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import exifReader from 'exifreader'
import sharp, { type Sharp } from 'sharp'
import { describe, expect, test as base } from 'vitest'
import { animation, picture, pngChunk } from './make-files.ts'
import { type Media, media } from './media-fixtures.ts'

const test = base.extend<{ media: Media }>({ media })

/** Helsinki, as cameras write it. */
const EXIF = {
  IFD0: { Make: 'Acme' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '60/1 10/1 15/1',
    GPSLongitudeRef: 'E',
    GPSLongitude: '24/1 56/1 15/1',
  },
}
const XMP = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
  <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
  xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="60,10.25N" exif:GPSLongitude="24,56.25E"/>
  </rdf:RDF></x:xmpmeta><?xpacket end="w"?>`

type Make = (from: () => Sharp) => Promise<Buffer>

const TELLING: [string, Make][] = [
  ['a JPEG with EXIF', (from) => from().withExif(EXIF).jpeg().toBuffer()],
  ['a JPEG with XMP', (from) => from().withXmp(XMP).jpeg().toBuffer()],
  ['a PNG with EXIF', (from) => from().withExif(EXIF).png().toBuffer()],
  ['a PNG with XMP', (from) => from().withXmp(XMP).png().toBuffer()],
  ['a PNG with compressed XMP', async (from) => withText(await from().png().toBuffer(), itxt())],
  ['a PNG with EXIF as text', async (from) => withText(await from().png().toBuffer(), ztxt())],
  ['a WEBP with EXIF', (from) => from().withExif(EXIF).webp().toBuffer()],
  ['a WEBP with XMP', (from) => from().withXmp(XMP).webp().toBuffer()],
  [
    'a JPEG with a second picture behind it',
    async (from) =>
      Buffer.concat([
        await from().jpeg().toBuffer(),
        await from().withExif(EXIF).jpeg().toBuffer(),
      ]),
  ],
]

describe('a picture that tells where it was taken is made anew, without metadata and with all its pixels', () => {
  test.for(TELLING)('%s', async ([, make], { media: { convert } }) => {
    const content = await make(() => picture(300, 200))
    const { original, made } = await convert(content, {})
    expect(await readFile(original)).toEqual(content)
    expect(made.path).not.toBe(original)
    const { format, exif, xmp, comments, width, height } = await sharp(made.path).metadata()
    expect({ exif, xmp, comments, width, height }).toEqual({ width: 300, height: 200 })
    expect(format).toBe((await sharp(content).metadata()).format)
    const found = exifReader.load(await readFile(made.path), { expanded: true })
    expect([found.gps, found.exif, found.xmp]).toEqual([undefined, undefined, undefined])
  })

  test('an animation stays one', async ({ media: { convert } }) => {
    const content = await animation(30, 20, 4).withExif(EXIF).webp().toBuffer()
    const { made } = await convert(content, {})
    const { pages, exif } = await sharp(made.path).metadata()
    expect({ pages, exif }).toEqual({ pages: 4 })
  })

  test('it may have too many bytes then, and becomes smaller', async ({ media: { convert } }) => {
    const content = await picture(300, 200).withExif(EXIF).jpeg({ quality: 40 }).toBuffer()
    const { made } = await convert(content, { maxBytes: content.length })
    expect(made.sizeBytes).toBeLessThanOrEqual(content.length)
    expect((await sharp(made.path).metadata()).exif).toBeUndefined()
  })
})

test('the files of these tests do tell a place, and metadata without one changes nothing', async ({
  media: { convert },
}) => {
  const withPlace = await picture(30, 20).withExif(EXIF).jpeg().toBuffer()
  expect(exifReader.load(withPlace, { expanded: true }).gps?.Latitude).toBeCloseTo(60.1708, 3)
  const withoutPlace = await picture(30, 20).withExif({ IFD0: EXIF.IFD0 }).jpeg().toBuffer()
  const { original, made } = await convert(withoutPlace, {})
  expect(made.path).toBe(original)
})

/** A PNG with one more chunk in front of its end. */
function withText(png: Buffer, chunk: Buffer): Buffer {
  const end = png.length - 12
  return Buffer.concat([png.subarray(0, end), chunk, png.subarray(end)])
}

function itxt(): Buffer {
  const head = Buffer.from('XML:com.adobe.xmp\0\u0001\0\0\0', 'latin1')
  return pngChunk('iTXt', Buffer.concat([head, deflateSync(XMP)]))
}

function ztxt(): Buffer {
  const text = deflateSync('\nexif\n      10\n45786966000049492a00\n')
  return pngChunk('zTXt', Buffer.concat([Buffer.from('Raw profile type exif\0\0'), text]))
}
