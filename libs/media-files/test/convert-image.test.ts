import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test as base } from 'vitest'
import type { ImageLimits } from '../src/images/convert-image.ts'
import type { PictureFile } from '../src/save-picture.ts'
import { UnreadableFile } from '../src/unreadable-file.ts'
import { animation, gifOfFrames, noise, picture } from './make-files.ts'
import { type Converted, type Media, media } from './media-fixtures.ts'

const test = base.extend<{ media: Media; convert: Convert }>({
  media,
  convert: async ({ media: { convert } }, use) => {
    await use(async (content, limits) => {
      const converted = await convert(content, limits)
      await expectTruth(converted, content)
      return converted.made
    })
  },
})

type Convert = (content: Buffer, limits: Partial<ImageLimits>) => Promise<PictureFile>

/** The original is as it was, nothing else was written, and what is said of the file is what is in it. */
async function expectTruth({ original, made, outputFolder }: Converted, content: Buffer) {
  expect(await readFile(original)).toEqual(content)
  const files = await readdir(outputFolder)
  expect(files).toEqual(made.path === original ? [] : [basename(made.path)])
  const written = await readFile(made.path)
  const { format, autoOrient, pageHeight } = await sharp(written, { pages: -1 }).metadata()
  expect(made).toMatchObject({
    mimeType: `image/${format}`,
    sizeBytes: written.length,
    width: autoOrient.width,
    height: pageHeight ?? autoOrient.height,
  })
}

describe('a picture that fits is answered as it is', () => {
  test.for<[string, () => Promise<Buffer>, Partial<ImageLimits>]>([
    ['a JPEG', () => picture(300, 200).jpeg().toBuffer(), { maxWidth: 300, maxHeight: 200 }],
    ['a PNG', () => picture(300, 200, 4).png().toBuffer(), { maxPixels: 60_000 }],
    ['an animated GIF', () => animation(30, 20, 4).gif().toBuffer(), {}],
    ['a photo on its side', () => onItsSide(), { maxWidth: 200, maxHeight: 300 }],
  ])('%s', async ([, make, limits], { convert }) => {
    const content = await make()
    const made = await convert(content, { ...limits, maxBytes: content.length })
    expect(made.sizeBytes).toBe(content.length)
    expect(await readFile(made.path)).toEqual(content)
  })
})

describe('a picture of a type that is not accepted becomes one that is, with all its pixels', () => {
  test.for<[string, () => Promise<Buffer>, string[], string]>([
    [
      'WEBP to JPEG',
      () => picture(300, 200).webp().toBuffer(),
      ['image/jpeg', 'image/png'],
      'image/jpeg',
    ],
    [
      'JPEG to PNG when nothing else is',
      () => picture(300, 200).jpeg().toBuffer(),
      ['image/png'],
      'image/png',
    ],
    [
      'JPEG to WEBP before PNG',
      () => picture(300, 200).jpeg().toBuffer(),
      ['image/png', 'image/webp'],
      'image/webp',
    ],
    ['PNG to JPEG', () => picture(300, 200).png().toBuffer(), ['image/jpeg'], 'image/jpeg'],
    [
      'transparent WEBP to PNG',
      () => seeThrough().webp().toBuffer(),
      ['image/jpeg', 'image/png'],
      'image/png',
    ],
    [
      'transparent PNG to WEBP',
      () => seeThrough().png().toBuffer(),
      ['image/jpeg', 'image/webp'],
      'image/webp',
    ],
    [
      'animated GIF to its first picture',
      () => animation(300, 200, 3).gif().toBuffer(),
      ['image/jpeg', 'image/png'],
      'image/png',
    ],
    [
      'animated WEBP to its first picture',
      () => animation(300, 200, 3).webp().toBuffer(),
      ['image/gif', 'image/jpeg'],
      'image/jpeg',
    ],
  ])('%s', async ([, make, mimeTypes, mimeType], { convert }) => {
    expect(await convert(await make(), { mimeTypes })).toMatchObject({
      mimeType,
      width: 300,
      height: 200,
    })
  })
})

test('what shines through becomes white where no type can keep it', async ({ convert }) => {
  const clear = sharp({ create: { width: 20, height: 20, channels: 4, background: '#ff000000' } })
  const { path } = await convert(await clear.png().toBuffer(), { mimeTypes: ['image/jpeg'] })
  const { dominant } = await sharp(path).stats()
  expect(Math.min(dominant.r, dominant.g, dominant.b)).toBeGreaterThan(240)
})

test('a transparent PNG that is too large becomes a WEBP before it loses its transparency', async ({
  convert,
}) => {
  const content = await noise(300, 300).ensureAlpha(0.5).png().toBuffer()
  const maxBytes = Math.floor(content.length * 0.7)
  const made = await convert(content, { maxBytes })
  expect(made).toMatchObject({ mimeType: 'image/webp', width: 300, height: 300 })
  expect((await sharp(made.path).metadata()).hasAlpha).toBe(true)
})

test('quality is lowered before pixels are given up', async ({ convert }) => {
  const content = await noise(400, 300).jpeg({ quality: 100 }).toBuffer()
  const made = await convert(content, { maxBytes: Math.floor(content.length * 0.5) })
  expect(made).toMatchObject({ mimeType: 'image/jpeg', width: 400, height: 300 })
})

describe('pixels are given up until it fits, and the shape stays', () => {
  test.for<[string, Partial<ImageLimits>]>([
    ['bytes', { maxBytes: 20_000 }],
    ['few bytes', { maxBytes: 1_000 }],
    ['width', { maxWidth: 100 }],
    ['height', { maxHeight: 77 }],
    ['pixels', { maxPixels: 12_345 }],
    ['all of them', { maxBytes: 3_000, maxWidth: 300, maxHeight: 333, maxPixels: 50_000 }],
  ])('%s', async ([, limits], { convert }) => {
    const made = await convert(await noise(800, 600).jpeg().toBuffer(), limits)
    expect(made.sizeBytes).toBeLessThanOrEqual(limits.maxBytes ?? Number.POSITIVE_INFINITY)
    expect(made.width).toBeLessThanOrEqual(limits.maxWidth ?? 800)
    expect(made.height).toBeLessThanOrEqual(limits.maxHeight ?? 600)
    expect(made.width * made.height).toBeLessThanOrEqual(limits.maxPixels ?? 480_000)
    expect(Math.abs(made.height - made.width * 0.75)).toBeLessThan(2)
  })

  test('a limit that is met exactly is used to the last pixel', async ({ convert }) => {
    const content = await picture(1_000, 1_000).jpeg().toBuffer()
    expect(await convert(content, { maxWidth: 333 })).toMatchObject({ width: 333, height: 333 })
  })

  test('an animation stays one where its type is accepted', async ({ convert }) => {
    const made = await convert(await animation(200, 100, 4).gif().toBuffer(), { maxWidth: 50 })
    expect(made).toMatchObject({ mimeType: 'image/gif', width: 50, height: 25 })
    expect((await sharp(made.path).metadata()).pages).toBe(4)
  })
})

test('an animation of too many bytes becomes smaller and stays one', async ({ convert }) => {
  const content = await animation(200, 100, 6).gif().toBuffer()
  const made = await convert(content, { maxBytes: Math.floor(content.length / 2) })
  expect(made.mimeType).toBe('image/gif')
  expect((await sharp(made.path).metadata()).pages).toBe(6)
})

test('an animation that cannot be made small enough becomes its first picture', async ({
  convert,
}) => {
  const made = await convert(gifOfFrames(500, 20), { maxBytes: 900 })
  expect((await sharp(made.path).metadata()).pages ?? 1).toBe(1)
})

test('a picture is never made larger', async ({ convert }) => {
  const limits = { mimeTypes: ['image/png'], maxWidth: 5_000, maxHeight: 5_000, maxPixels: 5e7 }
  const made = await convert(await picture(30, 20).jpeg().toBuffer(), limits)
  expect(made).toMatchObject({ width: 30, height: 20 })
})

test('a converted photo is upright and keeps nothing of what a camera noted', async ({
  convert,
}) => {
  const made = await convert(await onItsSide(), { mimeTypes: ['image/png'] })
  expect(made).toMatchObject({ width: 200, height: 300 })
  const metadata = await sharp(made.path).metadata()
  expect(metadata.exif).toBeUndefined()
  expect(metadata.orientation).toBeUndefined()
})

test('colours of a wide profile are turned into sRGB', async ({ convert }) => {
  const wide = await sharp({
    create: { width: 10, height: 10, channels: 3, background: '#ff0000' },
  })
    .withIccProfile('p3')
    .jpeg({ quality: 100 })
    .toBuffer()
  const made = await convert(wide, { mimeTypes: ['image/png'] })
  const { space, icc, depth } = await sharp(made.path).metadata()
  expect({ space, icc, depth }).toEqual({ space: 'srgb', icc: undefined, depth: 'uchar' })
  const { dominant } = await sharp(made.path).stats()
  expect(dominant.r).toBeGreaterThan(230)
})

describe('what cannot be made to fit is refused', () => {
  test.for<[string, () => Promise<Buffer>, Partial<ImageLimits>]>([
    ['too few bytes for any picture', () => noise(100, 100).jpeg().toBuffer(), { maxBytes: 20 }],
    ['no type of a picture', () => picture(9, 9).jpeg().toBuffer(), { mimeTypes: ['video/mp4'] }],
    ['half a picture', async () => half(await noise(100, 100).jpeg().toBuffer()), { maxWidth: 50 }],
    ['no picture at all', async () => Buffer.from('%PDF-1.4 hello'), {}],
  ])('%s', async ([, make, limits], { convert }) => {
    await expect(convert(await make(), limits)).rejects.toThrow(UnreadableFile)
  })
})

function onItsSide(): Promise<Buffer> {
  const exif = { IFD0: { Make: 'Acme' } }
  return picture(300, 200).jpeg().withExif(exif).withMetadata({ orientation: 6 }).toBuffer()
}

function seeThrough() {
  return sharp({ create: { width: 300, height: 200, channels: 4, background: '#ff000080' } })
}

function half(file: Buffer): Buffer {
  return file.subarray(0, file.length >> 1)
}
