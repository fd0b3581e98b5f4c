import { expect, test } from 'vitest'
import { mp4 } from '../test/media-bytes.ts'
import { videoSize } from './video-size.ts'

test.each(['video/mp4', 'video/quicktime'])('the track of a %s file tells its size', (type) => {
  expect(videoSize(mp4({ width: 1280, height: 720 }), type)).toEqual({ width: 1280, height: 720 })
})

test('a track of sound has no size, so the next one tells it', () => {
  expect(videoSize(mp4({ width: 4, height: 3, hasSound: true }), 'video/mp4')).toEqual({
    width: 4,
    height: 3,
  })
})

test.each([
  ['is cut off before its track', mp4().subarray(0, 60)],
  ['is cut off in a head', mp4().subarray(0, 29)],
  ['is empty', Buffer.alloc(0)],
  ['is nothing but zeros', Buffer.alloc(100)],
  ['has a box of length 1', Buffer.from('0000000166726565', 'hex')],
])('a file that %s has no size', (_, bytes) => {
  expect(videoSize(bytes, 'video/mp4')).toBeNull()
})

test('no other file has one', () => {
  expect(videoSize(mp4(), 'video/webm')).toBeNull()
})
