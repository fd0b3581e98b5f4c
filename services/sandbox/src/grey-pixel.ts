import type { Answer } from './call.ts'

/** The picture of every account: a grey pixel. */
export const GREY_PIXEL: Answer = {
  status: 200,
  headers: { 'content-type': 'image/png' },
  body: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
    'base64',
  ),
}
