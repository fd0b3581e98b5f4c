import fc from 'fast-check'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test as base } from 'vitest'
import { UnreadableFile } from '../src/unreadable-file.ts'
import {
  animatedPng,
  animation,
  bytes,
  ftyp,
  gifOfFrames,
  noise,
  picture,
  png,
  pngChunk,
  pngHead,
  pngPixels,
} from './make-files.ts'
import { type Media, media } from './media-fixtures.ts'

const test = base.extend<{ media: Media }>({ media })

type Make = () => Buffer | Promise<Buffer>

const NOT_SUPPORTED = 'This type of file is not supported.'
const DAMAGED = 'The picture is damaged or incomplete.'
const TOO_MANY_PIXELS = 'The picture has more than 50 million pixels, or too many frames.'

const jpeg = () => picture(400, 300).jpeg().toBuffer()
const text = (content: string) => Buffer.from(content, 'latin1')
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect/></svg>'

describe('a file that is not one of the supported types is refused, whatever its name', () => {
  test.for<[string, string, Make]>([
    ['an empty file', 'a.png', () => Buffer.alloc(0)],
    ['a file of one byte', 'b.png', () => bytes(0xff)],
    ['an SVG', 'c.png', () => text(svg)],
    ['an SVG behind an XML declaration', 'd.jpg', () => text(`<?xml version="1.0"?>${svg}`)],
    ['HTML', 'e.gif', () => text('<!doctype html><script>alert(1)</script>')],
    ['a shell script', 'f.jpg', () => text('#!/bin/sh\nrm -rf /\n')],
    ['a playlist', 'g.mp4', () => text('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
    ['AVIF', 'h.jpg', () => sharp({ create }).avif().toBuffer()],
    ['HEIC by its brand', 'i.jpg', () => ftyp('heic', 'mif1', 'heic')],
    ['AVIF by its brand', 'j.jpg', () => ftyp('avif', 'mif1')],
    ['sound in an M4A', 'k.mp4', () => ftyp('M4A ', 'isom')],
    ['3GP', 'l.mp4', () => ftyp('3gp4', 'isom')],
    ['TIFF', 'm.jpg', () => sharp({ create }).tiff().toBuffer()],
    ['BMP', 'n.png', () => Buffer.concat([text('BM'), Buffer.alloc(60)])],
    ['ICO', 'o.png', () => Buffer.concat([bytes(0, 0, 1, 0, 1, 0), Buffer.alloc(60)])],
    ['PSD', 'p.png', () => Buffer.concat([text('8BPS'), Buffer.alloc(60)])],
    ['JPEG XL', 'q.jpg', () => Buffer.concat([bytes(0xff, 0x0a), Buffer.alloc(60)])],
    ['JPEG 2000', 'r.jpg', () => text('\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftypjp2 ')],
    ['AVI', 's.mp4', () => text('RIFF\xff\0\0\0AVI LIST')],
    ['Matroska that is not WEBM', 't.webm', () => matroska],
    ['ASF with an empty header', 'u.mp4', () => asf],
    ['MP3', 'v.mp4', () => text('ID3\x04\0\0\0\0\0\0')],
    ['a program', 'w.jpg', () => Buffer.concat([text('\x7fELF\x02\x01\x01'), Buffer.alloc(60)])],
    ['a PDF with a line in front', 'x.pdf', () => text('hello\n%PDF-1.4\n')],
  ])('%s', async ([, name, make], { media: { inspect } }) => {
    const refusal = inspect(await make(), name)
    await expect(refusal).rejects.toThrow(UnreadableFile)
    await expect(refusal).rejects.toThrow(NOT_SUPPORTED)
  })
})

describe('a picture that is not whole or not what it begins as is refused', () => {
  test.for<[string, string, Make]>([
    ['half a JPEG', DAMAGED, async () => half(await jpeg())],
    ['half a progressive JPEG', DAMAGED, async () => half(await progressive())],
    ['half a PNG', DAMAGED, async () => half(await noise(200, 200).png().toBuffer())],
    ['half a WEBP', DAMAGED, async () => half(await noise(200, 200).webp().toBuffer())],
    ['half a GIF', DAMAGED, async () => half(await noise(200, 200).gif().toBuffer())],
    ['half an animation', DAMAGED, async () => half(await animation(50, 50, 9).webp().toBuffer())],
    ['a JPEG that ends in its middle', DAMAGED, async () => endedEarly(await jpeg())],
    ['a GIF that is a script', DAMAGED, () => text('GIF89a/*'.padEnd(60) + '*/=1;alert(1)')],
    ['a PNG with nothing in it', DAMAGED, () => png(pngHead(10, 10))],
    ['a PNG with too few pixels', DAMAGED, () => pngWith(pngPixels(100, 40), 100, 100)],
    [
      'a PNG with pixels that are no deflate stream',
      DAMAGED,
      () => pngWith(text('nonsense'), 9, 9),
    ],
    ['an animated PNG with a broken second frame', DAMAGED, () => secondFrame(text('nonsense'))],
    ['an animated PNG with a short second frame', DAMAGED, () => secondFrame(pngPixels(9, 2))],
    [
      'an animated PNG with a frame outside of it',
      DAMAGED,
      () => animatedPng([small, { ...small, left: 1 }]),
    ],
    ['half an animated PNG', DAMAGED, () => animatedPng([small, small]).subarray(0, -20)],
  ])('%s', async ([, message, make], { media: { inspect } }) => {
    await expect(inspect(await make())).rejects.toThrow(new UnreadableFile(message))
  })
})

describe('a picture that would take too much to decode is refused', () => {
  test.for<[string, string, Make]>([
    ['256 million pixels in 31 KB', TOO_MANY_PIXELS, () => bomb(16_000, 16_000)],
    [
      'a head that claims 65,500 × 65,500',
      TOO_MANY_PIXELS,
      () => pngWith(pngPixels(1, 1), 65_500, 65_500),
    ],
    [
      'a head that claims 2³¹ × 2³¹',
      DAMAGED,
      () => pngWith(pngPixels(1, 1), 2 ** 31 - 1, 2 ** 31 - 1),
    ],
    ['a GIF of 10,001 frames', TOO_MANY_PIXELS, () => gifOfFrames(10_001)],
    ['a GIF of few bytes and 600 million pixels', TOO_MANY_PIXELS, () => gifOfFrames(600, 1_000)],
    [
      'an animated PNG of 600 million pixels',
      TOO_MANY_PIXELS,
      () => animatedPng(Array(600).fill(million)),
    ],
  ])('%s', async ([, message, make], { media: { inspect } }) => {
    await expect(inspect(await make())).rejects.toThrow(new UnreadableFile(message))
  })
})

describe('what is odd but whole is read', () => {
  test.for<[string, Make, object]>([
    ['1 × 60,000', () => pngWith(pngPixels(1, 60_000), 1, 60_000), { width: 1, height: 60_000 }],
    ['60,000 × 1', () => pngWith(pngPixels(60_000, 1), 60_000, 1), { width: 60_000, height: 1 }],
    ['a JPEG with a ZIP behind it', async () => Buffer.concat([await jpeg(), zip]), { width: 400 }],
    ['a JPEG with a script as comment', async () => comment(await jpeg()), { width: 400 }],
    ['a PNG with a colour profile of 40 MB', () => withProfile(40_000_000), { width: 10 }],
    ['50 million pixels', () => bomb(10_000, 5_000), { width: 10_000, height: 5_000 }],
    ['50 million pixels lying on their side', onItsSide, { width: 5_000, height: 10_000 }],
  ])('%s', async ([, make, facts], { media: { inspect } }) => {
    const inspection = await inspect(await make())
    expect(inspection).toMatchObject(facts)
    const thumbnail = await sharp(inspection.thumbnail?.path).metadata()
    expect(Math.max(thumbnail.width, thumbnail.height)).toBeLessThanOrEqual(512)
  })
})

test('a JPEG of 3,000 scans is refused or read, and the worker is as good as before', async ({
  media: { inspect },
}) => {
  const outcome = await inspect(withScans(await progressive(), 3_000)).catch(
    (error: unknown) => error,
  )
  expect(outcome).toBeInstanceOf(UnreadableFile)
  expect(await inspect(await jpeg())).toMatchObject({ width: 400 })
})

test('a file that is declared a video and holds a picture is reported as the picture it is', async ({
  media: { inspect },
}) => {
  expect(await inspect(await jpeg(), 'film.mp4')).toMatchObject({
    type: 'image',
    mimeType: 'image/jpeg',
  })
})

test('a file that is not there is an error of the caller, not of the file', async ({
  media: { workers },
}) => {
  await expect(workers.inspect('/nowhere/at-all.jpg')).rejects.not.toThrow(UnreadableFile)
})

describe('whatever is cut off or overwritten, the answer is an inspection or a refusal', () => {
  test.for<[string, Make]>([
    ['JPEG', () => noise(90, 60).jpeg().toBuffer()],
    ['PNG', () => noise(60, 40).png().toBuffer()],
    ['WEBP', () => noise(60, 40).webp().toBuffer()],
    ['GIF', () => animation(30, 20, 4).gif().toBuffer()],
    ['animated WEBP', () => animation(30, 20, 4).webp().toBuffer()],
    ['animated PNG', () => animatedPng([small, small, small])],
  ])('%s', async ([, make], { media: { workers, save } }) => {
    const whole = await make()
    const at = fc.nat({ max: whole.length - 1 })
    const damage = fc.record({
      end: at,
      changes: fc.array(fc.tuple(at, fc.nat(255)), { maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(damage, async ({ end, changes }) => {
        const damaged = Buffer.from(changes.length > 0 ? whole : whole.subarray(0, end))
        for (const [position, value] of changes) damaged[position] = value
        const outcome = await workers.inspect(await save(damaged)).catch((error: unknown) => error)
        if (outcome instanceof UnreadableFile) return
        expect(outcome).toMatchObject({
          mimeType: expect.stringMatching(/^image\//),
          thumbnail: null,
        })
      }),
      { numRuns: 60 },
    )
  })
})

const create = { width: 16, height: 16, channels: 3, background: 'red' } as const
const small = { width: 9, height: 9 }
const million = { width: 1_000, height: 1_000, pixels: pngPixels(1_000, 1_000) }
const zip = Buffer.concat([text('PK\x05\x06'), Buffer.alloc(18)])
const matroska = Buffer.concat([
  bytes(0x1a, 0x45, 0xdf, 0xa3, 0x8b, 0x42, 0x82, 0x88),
  text('matroska'),
])
const asf = Buffer.concat([
  Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'),
  bytes(0x37, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2),
  Buffer.alloc(25),
])

const progressive = () => picture(400, 300).jpeg({ progressive: true }).toBuffer()

function half(file: Buffer): Buffer {
  return file.subarray(0, file.length >> 1)
}

function endedEarly(file: Buffer): Buffer {
  return Buffer.concat([half(file), bytes(0xff, 0xd9)])
}

function pngWith(pixels: Buffer, width: number, height: number): Buffer {
  return png(pngHead(width, height), pngChunk('IDAT', pixels))
}

function secondFrame(pixels: Buffer): Buffer {
  return animatedPng([small, { ...small, pixels }])
}

/** A PNG of zeros with one bit for each pixel, which compress to a thousandth. */
function bomb(width: number, height: number): Buffer {
  const zeros = deflateSync(Buffer.alloc((width / 8 + 1) * height), { level: 9 })
  return png(pngHead(width, height, { bits: 1, colours: 0 }), pngChunk('IDAT', zeros))
}

function onItsSide(): Promise<Buffer> {
  return sharp({ create: { ...create, width: 10_000, height: 5_000 } })
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer()
}

function comment(file: Buffer): Buffer {
  const script = text('<?php system($_GET[0]); ?><script>alert(1)</script>')
  return Buffer.concat([
    file.subarray(0, 2),
    bytes(0xff, 0xfe, 0, script.length + 2),
    script,
    file.subarray(2),
  ])
}

function withProfile(size: number): Buffer {
  const profile = Buffer.concat([text('profile\0\0'), deflateSync(Buffer.alloc(size))])
  return png(pngHead(10, 10), pngChunk('iCCP', profile), pngChunk('IDAT', pngPixels(10, 10)))
}

/** Repeats the last scan of a progressive JPEG. */
function withScans(file: Buffer, scans: number): Buffer {
  const lastScan = file.subarray(file.lastIndexOf(bytes(0xff, 0xda)), -2)
  return Buffer.concat([file.subarray(0, -2), ...Array(scans).fill(lastScan), file.subarray(-2)])
}
