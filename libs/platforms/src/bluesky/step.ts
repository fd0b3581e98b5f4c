import { z } from 'zod'

/** A file in the account's repository, as the server names it. */
export const BlobRef = z.object({
  $type: z.literal('blob'),
  ref: z.object({ $link: z.string().min(1) }),
  mimeType: z.string(),
  size: z.int().positive(),
})

/** An uploaded file and the size it is shown in, where that is known. */
const UploadedFile = z.object({
  blob: BlobRef,
  width: z.int().positive().nullable(),
  height: z.int().positive().nullable(),
})
export type UploadedFile = z.infer<typeof UploadedFile>

/**
 * What `prepare` leaves for `commit`: the accounts behind the text's mentions, by handle in lower case, and what was
 * uploaded, by the id of Herald's file.
 */
export const Step = z.object({
  mentions: z.record(z.string(), z.string()),
  files: z.record(z.string(), UploadedFile).default({}),
})
export type Step = z.infer<typeof Step>
