import type { Media, NewPost } from '@herald/client/resources'
import type { Platform } from '@herald/contracts/platforms'
import { film, picture, upload } from './files.ts'
import type { World } from './world.ts'

/** One good file of each kind, in the library of the organization. */
export type Library = { images: Media[]; video: Media; document: Media }

export async function fillLibrary(world: World): Promise<Library> {
  const images = await Promise.all(
    [1, 2, 3].map((seed) => upload(world, picture(640, 640, seed), { altText: `Picture ${seed}` })),
  )
  const video = await upload(world, film(), { fileName: 'film.mp4', mimeType: 'video/mp4' })
  const document = await upload(world, smallPdf(), {
    fileName: 'report.pdf',
    mimeType: 'application/pdf',
  })
  return { images, video, document }
}

/** What a post of each platform needs besides text and files. */
const OPTIONS: Partial<Record<Platform, NewPost>> = {
  TIKTOK: { channelIds: [], tiktok: { privacyLevel: 'PUBLIC_TO_EVERYONE' } },
  REDDIT: { channelIds: [], reddit: { subreddit: 'r/harbour', title: 'The harbour' } },
  YOUTUBE: { channelIds: [], youtube: { title: 'The harbour', privacyStatus: 'private' } },
  PINTEREST: { channelIds: [], pinterest: { boardId: '1' } },
}

export type Part = 'text' | 'image' | 'images' | 'video' | 'document'

/** The kind of post that a platform surely takes. */
export function easiest(platform: Platform): Part {
  if (platform === 'YOUTUBE') return 'video'
  return ['INSTAGRAM', 'TIKTOK', 'PINTEREST'].includes(platform) ? 'image' : 'text'
}

/** What each platform's stand-in finds wrong with a post only after it took it: see `docs/sandbox.md`. */
export const FAILS_IN_PROCESSING: Partial<Record<Platform, { part: Part; content: string }>> = {
  INSTAGRAM: { part: 'video', content: 'A reel #sandbox-fail:2207026' },
  THREADS: { part: 'video', content: 'A film #sandbox-fail:INVALID_BIT_RATE' },
  FACEBOOK: { part: 'video', content: 'A film #sandbox-fail:codec' },
  TIKTOK: { part: 'video', content: 'A film #sandbox-fail:duration_check_failed' },
  REDDIT: { part: 'image', content: 'A picture #sandbox-fail:processing' },
  YOUTUBE: { part: 'video', content: 'A film #sandbox-fail:codec' },
}

/** A good post, apart from its channel. */
export function goodPost(platform: Platform, part: Part, library: Library, content: string) {
  const { images, video, document } = library
  const files = {
    text: [],
    image: images.slice(0, 1),
    images,
    video: [video],
    document: [document],
  }[part]
  const { channelIds: _none, ...options } = OPTIONS[platform] ?? { channelIds: [] }
  return { content, mediaIds: files.map(({ id }) => id), ...options }
}

/** The smallest file that every reader takes for a PDF of one page. */
function smallPdf(): Buffer {
  const objects = [
    '1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n',
    '2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n',
    '3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>\nendobj\n',
  ]
  const head = '%PDF-1.4\n'
  const starts = objects.map((_, at) => head.length + objects.slice(0, at).join('').length)
  const rows = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`)
  const body = head + objects.join('')
  const table = `xref\n0 4\n0000000000 65535 f \n${rows.join('')}`
  const end = `trailer\n<</Size 4/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(body + table + end)
}
