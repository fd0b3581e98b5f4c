import type { ThreadsOptions } from '@herald/contracts/options/threads'
import { z } from 'zod'
import type { GraphFields } from '../graph.ts'
import type { ContainerPlan, ContainerState } from '../graph-containers.ts'
import type { PostApi } from '../graph-publish.ts'
import type { ImageLimits, PublishFile, PublishInput } from '../platform.ts'
import { addressOf } from '../addresses.ts'
import { readJson } from '../read-json.ts'
import { oneLine } from '../refusal.ts'
import { meaningOfFailure, THREADS_ERRORS } from './errors.ts'

/** How Threads calls its containers and posts. */
export const THREADS_API: PostApi = {
  name: 'Threads',
  errors: THREADS_ERRORS,
  edges: {
    make: 'threads',
    publish: 'threads_publish',
    quota: 'threads_publishing_limit',
    posts: 'threads',
  },
  stateFields: 'status,error_message',
  readState,
  meaningOfFailure,
  textField: 'text',
  profileUrl: ({ settings, username }) => addressOf(settings['webUrl'] ?? '', `/@${username}`),
}

const State = z.object({
  status: z.enum(['IN_PROGRESS', 'FINISHED', 'PUBLISHED', 'EXPIRED', 'ERROR']),
  error_message: z.string().nullish(),
})

function readState(text: string): ContainerState | undefined {
  const told = readJson(State, text)
  switch (told?.status) {
    case 'IN_PROGRESS':
      return { state: 'working' }
    case 'FINISHED':
      return { state: 'finished' }
    case 'PUBLISHED':
      return { state: 'published' }
    case 'EXPIRED':
      return { state: 'expired' }
    case 'ERROR':
      return { state: 'failed', said: oneLine(told.error_message || 'UNKNOWN') }
    case undefined:
      return undefined
  }
}

const PICTURES: ImageLimits = {
  mimeTypes: ['image/jpeg', 'image/png'],
  maxBytes: 8_000_000,
  maxWidth: 1440,
}

/** The containers of a post: one for a text or a single file, else one for each file and the carousel. */
export function planOf(
  { text, media }: PublishInput,
  options: z.infer<typeof ThreadsOptions>,
): ContainerPlan {
  const post = {
    ...(text !== '' && { text }),
    ...(options.replyControl && { reply_control: options.replyControl }),
    ...(options.topicTag !== undefined && { topic_tag: options.topicTag }),
  }
  const [file, ...others] = media
  if (!file) {
    const link = options.link === undefined ? {} : { link_attachment: options.link }
    return { items: [], root: async () => ({ media_type: 'TEXT', ...post, ...link }) }
  }
  if (others.length === 0)
    return { items: [], root: async () => ({ ...(await fieldsOf(file)), ...post }) }
  return {
    items: media.map((item) => ({
      key: item.id,
      fields: async () => ({ ...(await fieldsOf(item)), is_carousel_item: 'true' }),
    })),
    root: async (ids) => ({ media_type: 'CAROUSEL', children: ids.join(','), ...post }),
  }
}

async function fieldsOf(file: PublishFile): Promise<GraphFields> {
  const alt = file.altText === null ? {} : { alt_text: file.altText }
  if (file.type === 'video') return { media_type: 'VIDEO', video_url: file.url, ...alt }
  const { url } = await file.imageUrl(PICTURES)
  return { media_type: 'IMAGE', image_url: url, ...alt }
}
