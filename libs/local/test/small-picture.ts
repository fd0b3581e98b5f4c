import type { Media, MediaUpload } from '@herald/contracts/media'
import { askApi } from './hostile-world.ts'
import type { World } from './world.ts'

/** A PNG of one pixel. */
export const SMALL_PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

/** Uploads the picture in three steps, as a client does; gives the ready file. */
export async function uploadPicture(
  world: Pick<World, 'apiUrl' | 'apiKey'>,
  { key = world.apiKey, fileName = 'a.png', altText = '' } = {},
): Promise<Media> {
  const body = { fileName, altText, mimeType: 'image/png', fileSize: SMALL_PICTURE.length }
  const announced = await askApi(world, 'POST', '/media/uploads', { key, body })
  const { media, upload } = JSON.parse(announced.text) as MediaUpload
  const put = await fetch(upload.url, {
    method: upload.method,
    headers: upload.headers,
    body: SMALL_PICTURE,
    signal: AbortSignal.timeout(20_000),
  })
  if (!put.ok) throw new Error(`The upload was answered ${put.status}: ${await put.text()}`)
  const done = await askApi(world, 'POST', `/media/${media.id}/complete`, { key })
  if (done.status !== 200) throw new Error(`Not complete: ${done.status} ${done.text}`)
  return JSON.parse(done.text) as Media
}
