import { z } from 'zod'
import type { MediaFacts } from '../platform.ts'

/** A video that is under way: what TikTok calls the post, where the parts go, and how many are there. */
const VideoStep = z.object({
  fileId: z.string(),
  publishId: z.string().min(1),
  uploadUrl: z.url({ protocol: /^https?$/ }),
  sentChunks: z.int().nonnegative(),
})
export type VideoStep = z.infer<typeof VideoStep>

/** Photos that are hosted for TikTok to fetch, by the id of Herald's file, and what TikTok calls the post once it has taken it. */
const PhotoStep = z.object({
  urls: z.record(z.string(), z.url({ protocol: /^https?$/ })),
  isCommentDisabled: z.boolean(),
  publishId: z.string().min(1).optional(),
})
export type PhotoStep = z.infer<typeof PhotoStep>

/** The step of this video, or undefined when there is none that can be read. */
export function readVideoStep(
  step: Record<string, unknown> | undefined,
  file: Pick<MediaFacts, 'id'>,
): VideoStep | undefined {
  const read = VideoStep.safeParse(step).data
  return read?.fileId === file.id ? read : undefined
}

export function readPhotoStep(step: Record<string, unknown> | undefined): PhotoStep | undefined {
  return PhotoStep.safeParse(step).data
}

/** The addresses of the files in their order, or undefined when one is missing. */
export function urlsOf(
  { urls }: PhotoStep,
  media: readonly Pick<MediaFacts, 'id'>[],
): string[] | undefined {
  const all = media.flatMap(({ id }) => (Object.hasOwn(urls, id) ? (urls[id] ?? []) : []))
  return all.length === media.length ? all : undefined
}
