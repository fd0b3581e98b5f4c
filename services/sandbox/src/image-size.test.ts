import { expect, test } from 'vitest'
import { imageSize } from './image-size.ts'

const SIZES: [string, string, string, { width: number; height: number }][] = [
  [
    'PNG',
    'image/png',
    '89504e470d0a1a0a0000000d494844520000012c000000c8',
    { width: 300, height: 200 },
  ],
  ['GIF', 'image/gif', '4749463839612c01c800', { width: 300, height: 200 }],
  [
    'JPEG after other segments',
    'image/jpeg',
    'ffd8ffe000104a46494600010100000100010000ffdb0004aabbffc2001108 00c8012c03'.replace(' ', ''),
    { width: 300, height: 200 },
  ],
  [
    'lossy WEBP',
    'image/webp',
    `${'52494646000000005745425056503820'}00000000000000009d01${'2a'}2c01c800`.replace(
      '9d012a',
      '9d2a',
    ),
    { width: 300, height: 200 },
  ],
]

test.each(SIZES)('the header of a %s tells its size', (_, type, hex, size) => {
  expect(imageSize(Buffer.from(hex, 'hex'), type)).toEqual(size)
})

test('an extended WEBP tells the size of its canvas', () => {
  const bytes = Buffer.alloc(30)
  bytes.write('RIFF....WEBPVP8X', 'latin1')
  bytes.writeUIntLE(299, 24, 3)
  bytes.writeUIntLE(199, 27, 3)
  expect(imageSize(bytes, 'image/webp')).toEqual({ width: 300, height: 200 })
})

test('a lossless WEBP tells its size in 14 bits each', () => {
  const bytes = Buffer.alloc(25)
  bytes.write('RIFF....WEBPVP8L', 'latin1')
  bytes.writeUInt32LE((199 << 14) | 299, 21)
  expect(imageSize(bytes, 'image/webp')).toEqual({ width: 300, height: 200 })
})

test.each(['image/png', 'image/gif', 'image/jpeg', 'image/webp', 'video/mp4'])(
  'a file of %s that is cut off has no size',
  (type) => {
    expect(imageSize(Buffer.from('ffd8ff', 'hex'), type)).toBeNull()
  },
)
