import { z } from 'zod'
import { graphCall } from '../graph.ts'
import type { ImageLimits, NotPublished, PrepareInput, PublishFile } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { asPreparing, meaningOf, meaningOfSilence } from '../refusal.ts'
import { FACEBOOK_ERRORS } from './errors.ts'
import { readStep, type Step } from './step.ts'

/** Facebook fetches a picture before it answers. */
const TIMEOUT_MS = 60_000
const PICTURES: ImageLimits = { mimeTypes: ['image/jpeg', 'image/png'], maxBytes: 4_000_000 }

const Photo = z.object({ id: z.string().min(1) })

/** Brings the pictures to the Page, where nobody sees them until a post has them. Rejects as making them does. */
export async function preparePhotos(
  input: PrepareInput,
): Promise<{ outcome: 'ready'; step: Step } | NotPublished> {
  const { photos } = readStep(input.step)
  for (const file of input.media) {
    if (photos[file.id] !== undefined) continue
    const brought = await bring(input, file)
    if (brought.outcome !== 'brought') return brought
    photos[file.id] = brought.id
    await input.onStep?.({ photos: { ...photos } })
  }
  return { outcome: 'ready', step: { photos } }
}

async function bring(
  input: PrepareInput,
  file: PublishFile,
): Promise<{ outcome: 'brought'; id: string } | NotPublished> {
  const { url } = await file.imageUrl(PICTURES)
  const alt = file.altText === null ? {} : { alt_text_custom: file.altText }
  const fields = { url, published: 'false', ...alt }
  const result = await graphCall(input, 'POST', `/${input.account}/photos`, fields, TIMEOUT_MS)
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, 'Facebook'))
  if (result.status !== 200) return asPreparing(meaningOf(result, FACEBOOK_ERRORS, Date.now()))
  const id = readJson(Photo, result.text)?.id
  return id === undefined
    ? { outcome: 'transient', message: 'Facebook took a picture, but its answer is not readable.' }
    : { outcome: 'brought', id }
}
