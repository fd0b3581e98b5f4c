import { expect, test } from 'vitest'
import { describeVideo } from './describe-video.ts'
import type { FileFacts } from '../inspection.ts'

const VIDEO: FileFacts = {
  type: 'video',
  mimeType: 'video/mp4',
  width: 1920,
  height: 1080,
  durationSeconds: 92,
  pages: null,
  isAnimated: false,
}

test.each<[Partial<FileFacts>, string]>([
  [{}, 'Landscape MP4 video, 1920 by 1080 pixels, 1 minute 32 seconds long.'],
  [
    { mimeType: 'video/quicktime', width: 1080, height: 1920 },
    'Portrait QuickTime video, 1080 by 1920 pixels, 1 minute 32 seconds long.',
  ],
  [{ mimeType: 'video/webm', width: null }, 'WebM video, 1 minute 32 seconds long.'],
  [{ durationSeconds: null }, 'Landscape MP4 video, 1920 by 1080 pixels.'],
  [{ mimeType: 'video/x-other', width: null, durationSeconds: null }, 'Video.'],
])('a video with %j is described as "%s"', (facts, expected) => {
  expect(describeVideo({ ...VIDEO, ...facts })).toBe(expected)
})
