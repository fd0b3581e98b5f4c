import { z } from 'zod'
import type { Call } from '../../call.ts'
import { CATEGORIES } from './categories.ts'
import { refuse } from './refusals.ts'
import type { Metadata } from './state.ts'

const Resource = z.strictObject({
  snippet: z
    .strictObject({
      title: z.string().optional(),
      description: z.string().optional(),
      tags: z.array(z.string()).optional(),
      categoryId: z.string().optional(),
      defaultLanguage: z.string().optional(),
    })
    .optional(),
  status: z
    .strictObject({
      privacyStatus: z.enum(['public', 'unlisted', 'private']).optional(),
      selfDeclaredMadeForKids: z.boolean().optional(),
      containsSyntheticMedia: z.boolean().optional(),
      embeddable: z.boolean().optional(),
      license: z.enum(['youtube', 'creativeCommon']).optional(),
      publicStatsViewable: z.boolean().optional(),
    })
    .optional(),
})
type Resource = z.infer<typeof Resource>

/** What a new video says of itself, if YouTube takes it. */
export function readMetadata(call: Call): Metadata {
  const { snippet = {}, status = {} } = readResource(call)
  const { title = '', description = '', tags = [], categoryId = '22' } = snippet
  if (title.trim() === '' || title.length > 100 || hasBrackets(title))
    refuseVideo('invalidTitle', 'The request metadata specifies an invalid or empty video title.')
  if (Buffer.byteLength(description) > 5000 || hasBrackets(description))
    refuseVideo(
      'invalidDescription',
      'The request metadata specifies an invalid video description.',
    )
  if (keywordLength(tags) > 500 || tags.some((tag) => tag === '' || hasBrackets(tag)))
    refuseVideo('invalidTags', 'The request metadata specifies invalid video keywords.')
  if (!CATEGORIES.some(({ id, assignable }) => assignable && id === categoryId))
    refuseVideo('invalidCategoryId', 'The request metadata specifies an invalid category ID.')
  return {
    title,
    description,
    tags,
    categoryId,
    privacyStatus: status.privacyStatus ?? 'public',
    madeForKids: status.selfDeclaredMadeForKids ?? false,
    containsSyntheticMedia: status.containsSyntheticMedia ?? false,
  }
}

function readResource({ body }: Call): Resource {
  let json: unknown
  try {
    json = JSON.parse(body.toString() || '{}')
  } catch {
    refuse(400, 'parseError', { message: 'Parse Error' })
  }
  const parsed = Resource.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  return refuse(400, 'badRequest', {
    message: `Invalid JSON payload received. ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    status: 'INVALID_ARGUMENT',
  })
}

function hasBrackets(text: string): boolean {
  return text.includes('<') || text.includes('>')
}

/** As one list with commas, in which keywords of several words stand in quotation marks. */
function keywordLength(tags: string[]): number {
  return tags.map((tag) => (tag.includes(' ') ? `"${tag}"` : tag)).join(',').length
}

function refuseVideo(reason: string, message: string): never {
  refuse(400, reason, { message, domain: 'youtube.video' })
}
