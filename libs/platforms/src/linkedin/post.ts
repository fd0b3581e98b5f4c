import { LinkedinOptions } from '@herald/contracts/options/linkedin'
import type { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { readOptions } from '../options.ts'
import type { Live, NotPublished, Prepared, PublishInput } from '../platform.ts'
import { littleText } from './little-text.ts'
import { LINKEDIN_SETTINGS } from './settings.ts'
import { readStep } from './step.ts'

/** The body of a post, or why there can be none. */
export function bodyOf(
  input: PublishInput & Prepared,
): { outcome: 'built'; body: Record<string, unknown> } | NotPublished {
  const read = readOptions(LinkedinOptions, input)
  if (read.outcome !== 'read') return read
  const content = contentOf(input, read.options)
  if (!content) return { outcome: 'permanent', errorCode: 'media_missing', message: NOT_UPLOADED }
  const body = {
    author: input.account,
    commentary: littleText(input.text),
    visibility: read.options.visibility ?? 'PUBLIC',
    distribution: {
      feedDistribution: 'MAIN_FEED',
      targetEntities: [],
      thirdPartyDistributionChannels: [],
    },
    ...content,
    lifecycleState: 'PUBLISHED',
    isReshareDisabledByAuthor: false,
  }
  return { outcome: 'built', body }
}

const NOT_UPLOADED = 'A file of the post was not uploaded. Create the post again.'

const MAX_TITLE = 400

/** A document needs a title: the one that is given, its name, or any. */
function contentOf(
  { media, step }: PublishInput & Prepared,
  { documentTitle }: z.infer<typeof LinkedinOptions>,
): { content?: Record<string, unknown> } | undefined {
  const { uploads } = readStep(step)
  const files = media.flatMap(({ id, type, altText, fileName }): Record<string, string>[] => {
    const upload = uploads[id]
    if (!upload?.isReady) return []
    if (type === 'document') return [{ id: upload.urn, title: documentTitle ?? titleOf(fileName) }]
    return [{ id: upload.urn, ...(type !== 'video' && altText && { altText }) }]
  })
  if (files.length < media.length) return undefined
  if (files.length === 0) return {}
  return { content: files.length === 1 ? { media: files[0] } : { multiImage: { images: files } } }
}

/** The name of a file without its ending. */
function titleOf(fileName: string): string {
  const name = fileName.replace(/\.[^.]*$/, '').trim()
  return name.slice(0, MAX_TITLE).toWellFormed() || 'Document'
}

/** Where and since when a post is live. */
export function liveOf(
  urn: string,
  publishedAt: string,
  { settings }: Pick<PublishInput, 'settings'>,
): Live {
  const { webUrl } = { ...LINKEDIN_SETTINGS, ...settings }
  return { platformPostId: urn, url: addressOf(webUrl, `/feed/update/${urn}/`), publishedAt }
}
