import type { InstagramOptions } from '@herald/contracts/options/instagram'
import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import type { GraphFields } from '../graph.ts'
import type { ContainerPlan, ContainerState } from '../graph-containers.ts'
import type { PostApi } from '../graph-publish.ts'
import type { ImageLimits, PublishFile, PublishInput } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { oneLine } from '../refusal.ts'
import { INSTAGRAM_ERRORS, meaningOfFailure } from './errors.ts'

type Options = z.infer<typeof InstagramOptions>

/** How Instagram calls its containers and posts. Stories are listed apart. */
export function instagramApi({ story }: Options): PostApi {
  return {
    name: 'Instagram',
    errors: INSTAGRAM_ERRORS,
    edges: {
      make: 'media',
      publish: 'media_publish',
      quota: 'content_publishing_limit',
      posts: story ? 'stories' : 'media',
    },
    stateFields: 'status_code,status',
    readState,
    meaningOfFailure,
    textField: 'caption',
    profileUrl: ({ settings, username }) => addressOf(settings['webUrl'] ?? '', `/${username}/`),
  }
}

const State = z.object({
  status_code: z.enum(['IN_PROGRESS', 'FINISHED', 'PUBLISHED', 'EXPIRED', 'ERROR']),
  status: z.string().nullish(),
})

function readState(text: string): ContainerState | undefined {
  const told = readJson(State, text)
  switch (told?.status_code) {
    case 'IN_PROGRESS':
      return { state: 'working' }
    case 'FINISHED':
      return { state: 'finished' }
    case 'PUBLISHED':
      return { state: 'published' }
    case 'EXPIRED':
      return { state: 'expired' }
    case 'ERROR':
      return { state: 'failed', said: oneLine(told.status || 'no reason given') }
    case undefined:
      return undefined
  }
}

const PICTURES: ImageLimits = { mimeTypes: ['image/jpeg'], maxBytes: 8_000_000, maxWidth: 1440 }

/** The containers of a post: one for a single file, else one for each file and the carousel. */
export function planOf({ text, media }: PublishInput, options: Options): ContainerPlan {
  const caption: GraphFields = text === '' ? {} : { caption: text }
  const [file, ...others] = media
  if (file && options.story)
    return {
      items: [],
      root: async () => ({ media_type: 'STORIES', ...(await addressFields(file)) }),
    }
  if (file && others.length === 0)
    return { items: [], root: async () => ({ ...(await singleFields(file, options)), ...caption }) }
  return {
    items: media.map((item) => ({ key: item.id, fields: () => itemFields(item) })),
    root: async (ids) => ({ media_type: 'CAROUSEL', children: ids.join(','), ...caption }),
  }
}

async function singleFields(
  file: PublishFile,
  { shareToFeed, coverOffsetMs }: Options,
): Promise<GraphFields> {
  if (file.type !== 'video') return { ...(await addressFields(file)), ...altText(file) }
  return {
    media_type: 'REELS',
    ...(await addressFields(file)),
    ...(shareToFeed !== undefined && { share_to_feed: String(shareToFeed) }),
    ...(coverOffsetMs !== undefined && { thumb_offset: String(coverOffsetMs) }),
  }
}

async function itemFields(file: PublishFile): Promise<GraphFields> {
  const type = file.type === 'video' ? { media_type: 'VIDEO' } : altText(file)
  return { ...type, ...(await addressFields(file)), is_carousel_item: 'true' }
}

/** Only pictures have an alt text here. */
function altText(file: PublishFile): GraphFields {
  return file.altText === null ? {} : { alt_text: file.altText }
}

async function addressFields(file: PublishFile): Promise<GraphFields> {
  if (file.type === 'video') return { video_url: file.url }
  return { image_url: (await file.imageUrl(PICTURES)).url }
}
