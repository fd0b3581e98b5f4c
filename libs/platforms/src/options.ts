import type { z } from 'zod'
import type { NotPublished, PublishInput } from './platform.ts'

/** A post's options for a platform, or the refusal to publish with options that are not understood. */
export function readOptions<T extends z.ZodType>(
  schema: T,
  { options }: Pick<PublishInput, 'options'>,
): { outcome: 'read'; options: z.output<T> } | Extract<NotPublished, { outcome: 'permanent' }> {
  const parsed = schema.safeParse(options)
  if (parsed.success) return { outcome: 'read', options: parsed.data }
  return {
    outcome: 'permanent',
    errorCode: 'invalid_options',
    message: `The post has options that are not understood: ${parsed.error.issues[0]?.message ?? ''}`,
  }
}
