import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Media, NewUpload, Post } from '@herald/client/resources'
import { eventually } from '@herald/testing/eventually'
import { expect } from 'vitest'
import { encodePng } from '../src/encode-png.ts'
import type { TestChannel, World } from './world.ts'

/** A PNG with a pattern that is its own. */
export function picture(width: number, height: number, seed = 1): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let at = 0; at < rows.length; at++)
    rows[at] = at % (1 + width * 3) === 0 ? 0 : ((at * seed * 31) >> 5) & 255
  return encodePng(width, height, rows)
}

/** A PNG that does not compress, of three bytes for each pixel. */
export function noise(width: number, height: number): Buffer {
  const rows = randomBytes(height * (1 + width * 3))
  for (let at = 0; at < rows.length; at += 1 + width * 3) rows[at] = 0
  return encodePng(width, height, rows)
}

/** A GIF of two pixels by two, with a frame of each of two colours. */
export function animatedGif(): Buffer {
  const colours = [200, 60, 40, 40, 60, 200]
  const head = [...Buffer.from('GIF89a'), 2, 0, 2, 0, 0x80, 0, 0, ...colours]
  return Buffer.from([...head, ...gifFrame(0), ...gifFrame(1), 0x3b])
}

function gifFrame(colour: number): number[] {
  const control = [0x21, 0xf9, 4, 0, 50, 0, 0, 0]
  const place = [0x2c, 0, 0, 0, 0, 2, 0, 2, 0, 0]
  // Codes of three bits, the first one lowest: 4 clears the table, before codes become longer, and 5 ends.
  const codes = [4, colour, colour, 4, colour, colour, 5]
  const bits = codes.reduce((sum, code, index) => sum | (code << (3 * index)), 0)
  return [...control, ...place, 2, 3, bits & 255, (bits >> 8) & 255, bits >> 16, 0]
}

/** An MP4 of five seconds, 640 by 360, with everything but a video that could be seen. */
export function film(): Buffer {
  const start = Buffer.concat([box('ftyp', Buffer.from('isom'), u32(0), Buffer.from('isom'))])
  const chunkAt = start.length + movie(0).length + 8
  return Buffer.concat([start, movie(chunkAt), box('mdat', Buffer.alloc(100, 7))])
}

function movie(chunkAt: number): Buffer {
  const header = (type: string) => box(type, u32(0, 0, 0, 1000, 5000), Buffer.alloc(80))
  const upright = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
  const size = Buffer.from([640 >> 8, 640 & 255, 360 >> 8, 360 & 255])
  const entry = box('avc1', Buffer.alloc(24), size, Buffer.alloc(50))
  const tables = box(
    'stbl',
    box('stsd', u32(0, 1), entry),
    box('stts', u32(0, 1, 1, 5000)),
    box('stsc', u32(0, 1, 1, 1, 1)),
    box('stsz', u32(0, 0, 1, 100)),
    box('stco', u32(0, 1, chunkAt)),
  )
  const data = box('dinf', box('dref', u32(0, 1), box('url ', u32(1))))
  const handler = box('hdlr', u32(0, 0), Buffer.from('vide'), Buffer.alloc(13))
  const track = box(
    'tkhd',
    u32(3, 0, 0, 1, 0, 5000, 0, 0, 0, 0),
    upright,
    u32(640 << 16, 360 << 16),
  )
  const media = box('mdia', header('mdhd'), handler, box('minf', data, tables))
  return box('moov', header('mvhd'), box('trak', track, media))
}

function box(type: string, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content)
  return Buffer.concat([u32(body.length + 8), Buffer.from(type), body])
}

function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => bytes.writeUInt32BE(value >>> 0, index * 4))
  return bytes
}

/** Makes the three steps of an upload. */
export function upload(
  { herald }: World,
  bytes: Uint8Array,
  { fileName = 'picture.png', altText, mimeType = 'image/png' }: UploadFacts = {},
): Promise<Media> {
  const file = { data: new Uint8Array(bytes), fileName, mimeType }
  return herald.media.uploadFile(file, altText === undefined ? {} : { altText })
}

type UploadFacts = Partial<Pick<NewUpload, 'fileName' | 'altText' | 'mimeType'>>

/** Waits until a post is live on every one of its channels. */
export function published({ herald }: World, id: string): Promise<Post> {
  return eventually(
    async () => {
      const post = await herald.posts.get(id)
      for (const channel of post.channels) expect(channel).toMatchObject({ status: 'published' })
      expect(post.status).toBe('published')
      return post
    },
    { timeoutMs: 45_000 },
  )
}

/** The files of the one live post with this text. */
export async function liveFiles({ sandbox }: World, channel: TestChannel, text: string) {
  const [found, ...others] = (await sandbox.live(channel)).filter((live) => live.text === text)
  if (!found || others.length > 0) throw new Error(`"${text}" is not live exactly once.`)
  return found.media
}

/** Serves one file on loopback, as somebody's web server does. */
export async function serveFile(
  bytes: Buffer,
  headers: Record<string, string>,
): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { ...headers, 'content-length': bytes.length }).end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
