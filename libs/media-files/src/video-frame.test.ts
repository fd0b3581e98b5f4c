import { temporaryFolder } from '@herald/testing/temporary-folder'
import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { makeThumbnail } from './images/thumbnail.ts'
import type { FileFacts } from './inspection.ts'
import { frameOfVideo } from './video-frame.ts'
import { findProgram } from './workers/find-program.ts'

const facts: FileFacts = {
  type: 'video',
  mimeType: 'video/mp4',
  width: 64,
  height: 48,
  durationSeconds: 2,
  pages: null,
  isAnimated: false,
}

const ffmpeg = await findProgram('ffmpeg')

/** A program in the place of ffmpeg. */
function programThat(folder: string, script: string): string {
  const path = join(folder, 'program')
  writeFileSync(path, `#!${process.execPath}\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

test('the file is the only thing that ffmpeg may open, and only as what it is', async () => {
  using folder = temporaryFolder()
  const program = programThat(folder.path, 'console.log(JSON.stringify(process.argv.slice(2)))')
  const path = '/tmp/with spaces; and more.mp4'
  const said = await frameOfVideo({ path, facts, ffmpeg: program })
  const words = JSON.parse(said.toString()) as string[]
  const after = (word: string) => words[words.indexOf(word) + 1]
  expect(after('-protocol_whitelist')).toBe('file')
  expect(after('-f')).toBe('mov')
  expect(after('-i')).toBe(`file:${path}`)
  expect(words.indexOf('-protocol_whitelist')).toBeLessThan(words.indexOf('-i'))
})

test.each([
  ['says nothing', 'process.exit(1)'],
  ['writes without end', 'for (;;) require("node:fs").writeSync(1, Buffer.alloc(1e6))'],
])('a program that %s gives no picture', async (_, script) => {
  using folder = temporaryFolder()
  const program = programThat(folder.path, script)
  const frame = frameOfVideo({ path: '/tmp/film.mp4', facts, ffmpeg: program })
  await expect(frame).rejects.toThrow('The video has no picture.')
})

test('a program that is not there gives no picture', async () => {
  const frame = frameOfVideo({ path: '/tmp/film.mp4', facts, ffmpeg: '/nowhere/ffmpeg' })
  await expect(frame).rejects.toThrow('The video has no picture.')
})

test.runIf(ffmpeg)('where ffmpeg is there, a video has a thumbnail of its own shape', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'film.mp4')
  const source = 'testsrc=duration=2:size=640x480:rate=10'
  execFileSync(ffmpeg ?? '', ['-f', 'lavfi', '-i', source, '-c:v', 'mpeg4', path])
  const frame = await frameOfVideo({ path, facts, ffmpeg: ffmpeg ?? '' })
  const { bytes } = await makeThumbnail(frame)
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 512, height: 384 })
})
