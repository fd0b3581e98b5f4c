import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, test as base } from 'vitest'
import { animatedPng, animation, gifOfFrames, noise, picture } from './make-files.ts'
import { type Media, media } from './media-fixtures.ts'

const test = base.extend<{ media: Media }>({ media })

const still = { durationSeconds: null, pages: null, isAnimated: false }

describe('a picture is recognized by its content, whatever its name', () => {
  test.for([
    ['image/jpeg', () => picture(120, 80).jpeg()],
    ['image/png', () => picture(120, 80).png()],
    ['image/webp', () => picture(120, 80).webp()],
  ] as const)('%s', async ([mimeType, make], { media: { inspect } }) => {
    expect(await inspect(await make().toBuffer(), `${mimeType.slice(6)}.txt`)).toMatchObject({
      type: 'image',
      mimeType,
      width: 120,
      height: 80,
      ...still,
    })
  })

  test('a GIF is of the type gif', async ({ media: { inspect } }) => {
    const facts = await inspect(await picture(120, 80).gif().toBuffer())
    expect(facts).toMatchObject({ type: 'gif', mimeType: 'image/gif', isAnimated: false })
  })
})

describe('an animation has the size of one frame and a still thumbnail', () => {
  test.for([
    ['image/gif', () => animation(40, 30, 5).gif().toBuffer()],
    ['image/webp', () => animation(40, 30, 5).webp().toBuffer()],
    ['image/png', async () => animatedPng(Array(3).fill({ width: 40, height: 30 }))],
  ] as const)('%s', async ([mimeType, make], { media: { inspect } }) => {
    const facts = await inspect(await make())
    expect(facts).toMatchObject({ mimeType, width: 40, height: 30, isAnimated: true })
    expect(facts.thumbnail).toMatchObject({ width: 40, height: 30 })
    const { pages } = await sharp(facts.thumbnail?.path).metadata()
    expect(pages ?? 1).toBe(1)
  })
})

test.for([1, 2, 3, 4, 5, 6, 7, 8])(
  'a photo with the orientation %i has the size that a person sees, and so has its thumbnail',
  async (orientation, { media: { inspect } }) => {
    const photo = await picture(400, 200).jpeg().withMetadata({ orientation }).toBuffer()
    const size = orientation > 4 ? { width: 200, height: 400 } : { width: 400, height: 200 }
    const facts = await inspect(photo)
    expect(facts).toMatchObject(size)
    expect(facts.thumbnail).toMatchObject(size)
  },
)

test('a thumbnail is a WEBP of at most 512 pixels a side, and its size is told truly', async ({
  media: { inspect },
}) => {
  const { thumbnail } = await inspect(await noise(2_000, 1_000).jpeg().toBuffer())
  expect(thumbnail).toMatchObject({ mimeType: 'image/webp', width: 512, height: 256 })
  const bytes = await readFile(thumbnail?.path ?? '')
  expect(bytes).toHaveLength(thumbnail?.sizeBytes ?? 0)
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 512, height: 256 })
})

test('a thumbnail keeps nothing of what a camera noted', async ({ media: { inspect } }) => {
  const exif = { IFD0: { Make: 'Acme', ImageDescription: '<?php evil(); ?>' } }
  const gps = { IFD3: { GPSLatitude: '51/1 30/1 3230/100', GPSLatitudeRef: 'N' } }
  const photo = await picture(600, 400)
    .jpeg()
    .withExif({ ...exif, ...gps })
    .toBuffer()
  expect((await sharp(photo).metadata()).exif).toBeDefined()
  const { thumbnail } = await inspect(photo)
  const metadata = await sharp(thumbnail?.path).metadata()
  expect(metadata).not.toHaveProperty('exif')
  expect(metadata).not.toHaveProperty('xmp')
  expect(metadata).not.toHaveProperty('icc')
})

test('without a folder no thumbnail is made', async ({ media: { workers, save } }) => {
  const path = await save(await picture(100, 100).png().toBuffer())
  expect(await workers.inspect(path)).toMatchObject({ thumbnail: null })
})

describe('what cameras and programs really write is read', () => {
  const jpeg = () => picture(300, 200).jpeg().toBuffer()
  test.for<[string, () => Promise<Buffer>]>([
    ['CMYK', () => picture(300, 200).toColourspace('cmyk').jpeg().toBuffer()],
    ['progressive', () => picture(300, 200).jpeg({ progressive: true }).toBuffer()],
    ['16 bits per colour', () => picture(300, 200).toColourspace('rgb16').png().toBuffer()],
    ['grey', () => picture(300, 200).greyscale().jpeg().toBuffer()],
    ['a palette', () => picture(300, 200).png({ palette: true }).toBuffer()],
    ['interlaced', () => picture(300, 200).png({ progressive: true }).toBuffer()],
    ['a colour profile', () => picture(300, 200).withIccProfile('p3').jpeg().toBuffer()],
    ['bytes behind its end', async () => Buffer.concat([await jpeg(), Buffer.alloc(500)])],
    ['filling between its parts', async () => beforeScan(await jpeg(), Buffer.alloc(3))],
    ['an odd colour transform', async () => afterStart(await jpeg(), ADOBE_TRANSFORM_9)],
    ['odd parameters of its scan', async () => withOddScan(await jpeg())],
    ['as many frames as may be', async () => gifOfFrames(10_000)],
  ])('%s', async ([, make], { media: { inspect } }) => {
    expect((await inspect(await make())).thumbnail).not.toBeNull()
  })
})

const ADOBE_TRANSFORM_9 = Buffer.from('\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\x09', 'latin1')

function scanOf(jpeg: Buffer): number {
  return jpeg.indexOf(Buffer.from([0xff, 0xda]))
}

function beforeScan(jpeg: Buffer, filling: Buffer): Buffer {
  const at = scanOf(jpeg)
  return Buffer.concat([jpeg.subarray(0, at), filling, jpeg.subarray(at)])
}

function afterStart(jpeg: Buffer, segment: Buffer): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)])
}

function withOddScan(jpeg: Buffer): Buffer {
  const odd = Buffer.from(jpeg)
  const at = scanOf(odd)
  // The end of the spectral selection, which must be 63 in a baseline scan and means nothing there.
  odd[at + 6 + 2 * (odd[at + 4] ?? 0)] = 0
  return odd
}
