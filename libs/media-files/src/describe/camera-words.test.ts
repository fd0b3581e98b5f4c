import sharp from 'sharp'
import { expect, test } from 'vitest'
import { cameraName, cameraWords, dateWords } from './camera-words.ts'

test.each([
  ['2026:05:12 10:00:00', '12 May 2026'],
  ['1999:12:01 23:59:59', '1 December 1999'],
  ['0000:00:00 00:00:00', null],
  ['2026:02:30 10:00:00', null],
  ['2026:13:01 10:00:00', null],
  ['0001:01:01 00:00:00', null],
  ['12 May 2026', null],
  ['', null],
])('the date %s is called %s', (exifDate, expected) => {
  expect(dateWords(exifDate)).toBe(expected)
})

test.each([
  ['Canon', 'Canon EOS R5', 'Canon EOS R5'],
  ['Apple', 'iPhone 15', 'Apple iPhone 15'],
  ['NIKON', 'nikon Z 6', 'nikon Z 6'],
  ['Sony', '', 'Sony'],
  ['', 'X100V', 'X100V'],
  ['', '', null],
  ['Evil\u0000\u202e', 'Cam\n1', 'Evil Cam 1'],
])('make %j and model %j are called %s', (make, model, expected) => {
  expect(cameraName(make, model)).toBe(expected)
})

const place = { GPSLatitude: '47/1 22/1 0/1', GPSLatitudeRef: 'N' }

test.each(['jpeg', 'png', 'webp'] as const)(
  'a %s says when and with what it was taken, and never where',
  async (format) => {
    const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .withExif({
        IFD0: { Make: 'Canon', Model: 'Canon EOS R5' },
        IFD2: { DateTimeOriginal: '2026:05:12 10:00:00' },
        IFD3: place,
      })
      .toFormat(format)
    const words = cameraWords(await picture.toBuffer())
    expect(words).toBe('Taken on 12 May 2026 with the camera Canon EOS R5.')
  },
)

test('a picture with nothing but a place says nothing', async () => {
  const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
  expect(cameraWords(await picture.withExif({ IFD3: place }).jpeg().toBuffer())).toBeNull()
})

test.each([
  ['nothing', ''],
  ['what is no picture', 'hello'],
  ['a picture that is cut off in its head', '\u00ff\u00d8\u00ff\u00e1\u00ff\u00ffExif\0\0MM\0*'],
])('%s says nothing', (_, bytes) => {
  expect(cameraWords(Buffer.from(bytes, 'latin1'))).toBeNull()
})
