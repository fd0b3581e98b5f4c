import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type {
  ImageLimits,
  MediaType,
  PublishFile,
  PublishInput,
  SizedImage,
} from '@herald/platforms/platform'
import { png } from './media-bytes.ts'

/** A file of a post that has these bytes. A picture is what `image` makes of it: itself, unless told otherwise. */
export function aFile(id: string, type: MediaType, bytes: Buffer, more: Partial<PublishFile> = {}) {
  const mimeTypes = { image: 'image/png', gif: 'image/gif', video: 'video/mp4' }
  return {
    id,
    type,
    mimeType: new Map(Object.entries(mimeTypes)).get(type) ?? 'application/octet-stream',
    sizeBytes: bytes.length,
    width: null,
    height: null,
    durationSeconds: null,
    altText: null,
    fileName: `${id}.bin`,
    url: `http://127.0.0.1/${id}`,
    open: async () => Readable.from([bytes]),
    slice: async (start: number, end: number) => bytes.subarray(start, end),
    image: async () => ({ bytes, mimeType: 'image/png', width: 40, height: 30 }),
    imageUrl: async () => ({
      url: `http://127.0.0.1/${id}`,
      mimeType: 'image/png',
      width: 40,
      height: 30,
    }),
    ...more,
  }
}

/** A picture that is only sent after it was made to fit, with the limits that it was asked to fit into. */
export function aConvertedFile(id: string, converted: SizedImage) {
  const asked: ImageLimits[] = []
  const file = aFile(id, 'image', png(9000, 9000, 200), {
    open: () => Promise.reject(new Error('It is not sent as it is.')),
    image: async (limits) => {
      asked.push(limits)
      return converted
    },
  })
  return { file, asked }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** What a connector is given, with defaults. */
export function aPublishInput(
  overrides: Partial<PublishInput> & Pick<PublishInput, 'baseUrl' | 'token' | 'account'>,
): PublishInput {
  return {
    username: 'ada',
    settings: {},
    limits: {},
    idempotencyKey: 'post_1.chan_1.1',
    rkeyTime: Date.UTC(2026, 10, 21, 12),
    text: 'Look',
    options: {},
    createdAt: '2026-11-21T12:00:00.000Z',
    media: [],
    signal: AbortSignal.timeout(30_000),
    ...overrides,
  }
}
