import { spawn } from 'node:child_process'
import type { FileFacts } from './inspection.ts'
import { UnreadableFile } from './unreadable-file.ts'

const WITHIN_MS = 10_000
const SIDE = 512
const MAX_FRAME_BYTES = 16 * 1024 * 1024
const DECODERS = 'h264,hevc,mpeg4,vp8,vp9,libvpx,libvpx-vp9,av1,libdav1d,libaom-av1,prores,mjpeg'

/**
 * One picture out of a video as the bytes of a JPEG, made by ffmpeg. Only that file can be read, only as the container
 * that it was found to be. Throws `UnreadableFile` when there is none within 10 s.
 */
export async function frameOfVideo(options: {
  path: string
  facts: FileFacts
  ffmpeg: string
}): Promise<Buffer> {
  const child = spawn(options.ffmpeg, ffmpegArguments(options.path, options.facts), {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // When it cannot be started there are no bytes, which is the answer.
  child.once('error', () => undefined)
  const timer = setTimeout(() => child.kill('SIGKILL'), WITHIN_MS)
  try {
    return await bytesOf(child.stdout)
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}

function ffmpegArguments(path: string, { mimeType, durationSeconds }: FileFacts): string[] {
  // The very first picture is often black.
  const at = Math.min(1, (durationSeconds ?? 0) / 2)
  const container = mimeType === 'video/webm' ? 'matroska' : 'mov'
  const scale = `scale=${SIDE}:${SIDE}:force_original_aspect_ratio=decrease`
  const input = [
    '-nostdin -hide_banner -loglevel quiet -threads 1',
    `-protocol_whitelist file -codec_whitelist ${DECODERS} -max_pixels 50000000`,
    `-f ${container} -ss ${at.toFixed(3)} -i`,
  ]
  const output = `-map 0:v:0 -an -sn -dn -frames:v 1 -vf ${scale} -f image2pipe -c:v mjpeg pipe:1`
  return [...input.join(' ').split(' '), `file:${path}`, ...output.split(' ')]
}

async function bytesOf(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of stream) {
    const bytes = Buffer.from(part)
    size += bytes.length
    if (size > MAX_FRAME_BYTES) break
    parts.push(bytes)
  }
  if (size === 0 || size > MAX_FRAME_BYTES) throw new UnreadableFile('The video has no picture.')
  return Buffer.concat(parts)
}
