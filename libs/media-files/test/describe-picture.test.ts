import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import sharp, { type Sharp } from 'sharp'
import { expect, test } from 'vitest'
import { describeFile } from '../src/describe/describe-file.ts'
import type { FileFacts } from '../src/inspection.ts'
import { pictureOf, STEP_MS } from './describe-files.ts'

const UNKNOWN: FileFacts = {
  type: 'image',
  mimeType: 'image/png',
  width: null,
  height: null,
  durationSeconds: null,
  pages: null,
  isAnimated: false,
}

test('a picture is described by its shape, size and colours', async () => {
  const facts = { ...UNKNOWN, width: 800, height: 400 }
  expect(await described(halves('#2457d6', '#ffffff'), facts)).toBe(
    'Landscape picture, 800 by 400 pixels, mostly blue and white.',
  )
})

test('the size comes from the picture when it is not known, as it is shown', async () => {
  const onItsSide = halves('#2457d6', '#ffffff').withMetadata({ orientation: 6 }).jpeg()
  expect(await described(onItsSide)).toMatch(/^Portrait picture, 400 by 800 pixels,/)
})

test.each([
  ['#05060a', 'Dark square picture, 100 by 100 pixels, mostly black.'],
  ['#fdfdfd', 'Bright square picture, 100 by 100 pixels, mostly white.'],
])('a picture that is all %s is described as "%s"', async (background, expected) => {
  expect(await described(plain(100, background))).toBe(expected)
})

test('a picture in shades of grey and one with transparent parts have colours too', async () => {
  expect(await described(halves('#000000', '#808080').greyscale())).toContain('black and grey')
  expect(await described(plain(100, '#0000'))).toBe('Square picture, 100 by 100 pixels.')
})

test('an animated GIF is described by its first frame', async () => {
  const frames = [await plain(40, '#d91e18').toBuffer(), await plain(40, '#2457d6').toBuffer()]
  const gif = sharp(frames, { join: { animated: true } }).gif()
  const facts: FileFacts = { ...UNKNOWN, type: 'gif', mimeType: 'image/gif', isAnimated: true }
  expect(await described(gif, { ...facts, width: 40, height: 40 })).toBe(
    'Animated square GIF, 40 by 40 pixels, mostly red.',
  )
})

test('a photo says when and with what it was taken', async () => {
  const photo = halves('#2457d6', '#ffffff').withExif({
    IFD0: { Make: 'Canon', Model: 'Canon EOS R5' },
    IFD2: { DateTimeOriginal: '2026:05:12 10:00:00' },
    IFD3: { GPSLatitude: '47/1 22/1 0/1', GPSLatitudeRef: 'N' },
  })
  expect(await described(photo.jpeg())).toBe(
    'Landscape picture, 800 by 400 pixels, mostly blue and white. Taken on 12 May 2026 with the camera Canon EOS R5.',
  )
})

test.skipIf(!hasLanguageData())('the text in a picture is part of its description', async () => {
  expect(await described(pictureOf('HELLO HOTEL'))).toMatch(/ It shows the text “HELLO HOTEL”\.$/)
})

test.skipIf(!hasLanguageData())('texture is not taken for text', async () => {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 }
  const texture = sharp({
    create: { width: 400, height: 300, channels: 3, background: 'grey', noise },
  })
  expect(await described(texture.blur(1.5).png())).not.toContain('text')
})

test('a picture that cannot be read is described by what is known of it', async () => {
  const facts = { ...UNKNOWN, width: 800, height: 400 }
  expect(await described(Buffer.from('no picture'), facts)).toBe(
    'Landscape picture, 800 by 400 pixels.',
  )
  expect(await described(Buffer.from('no picture'))).toBeNull()
  expect(await described(Buffer.alloc(0))).toBeNull()
})

test('a picture that is cut off does not end in an error', async () => {
  const whole = await halves('#2457d6', '#ffffff').png().toBuffer()
  expect(await described(whole.subarray(0, whole.length / 2))).toBeNull()
})

test('a picture of more pixels than can be unpacked is described by what is known of it', async () => {
  const side = 7_100
  const create = { width: side, height: side, channels: 3 as const, background: 'red' }
  const huge = sharp({ create }).toColourspace('b-w').png({ compressionLevel: 1 })
  expect(await described(huge, { ...UNKNOWN, width: side, height: side })).toBe(
    'Square picture, 7100 by 7100 pixels.',
  )
})

test('a picture that takes too long is described by what is known of it', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'picture')
  await writeFile(path, await pictureOf('HELLO').toBuffer())
  expect(await describeFile(path, UNKNOWN, 1)).not.toContain('text')
})

test('a file that is not there is an error', async () => {
  await expect(describeFile('/nowhere/picture.png', UNKNOWN)).rejects.toThrow(/ENOENT/)
})

async function described(picture: Sharp | Buffer, facts = UNKNOWN): Promise<string | null> {
  using folder = temporaryFolder()
  const path = join(folder.path, 'picture')
  await writeFile(path, Buffer.isBuffer(picture) ? picture : await picture.toBuffer())
  return await describeFile(path, facts, STEP_MS)
}

function plain(side: number, background: string): Sharp {
  return sharp({ create: { width: side, height: side, channels: 4, background } }).png()
}

function halves(left: string, right: string): Sharp {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="400">
    <rect width="480" height="400" fill="${left}"/><rect x="480" width="320" height="400" fill="${right}"/></svg>`
  return sharp(Buffer.from(svg)).removeAlpha().png()
}

function hasLanguageData(): boolean {
  try {
    return Boolean(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json'))
  } catch {
    return false
  }
}
