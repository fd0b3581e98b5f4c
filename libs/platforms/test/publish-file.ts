import { Readable } from 'node:stream'
import type { MediaType, PublishFile } from '../src/platform.ts'
import { aFile } from './drafts.ts'

/** A file of a post with its bytes. A picture is made into `picture`, whatever it is asked to fit into. */
export function aPublishFile(
  id: string,
  type: MediaType,
  {
    bytes = Buffer.from(`bytes of ${id}`),
    ...more
  }: Partial<PublishFile> & { bytes?: Buffer } = {},
): PublishFile {
  const picture = Buffer.from(`picture of ${id}`)
  return {
    ...aFile({ id, type, sizeBytes: bytes.length }),
    url: `https://files.example/${id}`,
    fileName: `${id}.bin`,
    open: async () => Readable.from([bytes]),
    slice: async (start, end) => bytes.subarray(start, end),
    imageUrl: async () => ({
      url: `https://files.example/${id}`,
      mimeType: 'image/jpeg',
      width: 40,
      height: 30,
    }),
    image: async () => ({ bytes: picture, mimeType: 'image/jpeg', width: 40, height: 30 }),
    ...more,
  }
}
