import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import type { Live, Settings } from '../platform.ts'

/** A video as the API answers it; only what Herald looks at. */
export const Video = z.object({
  id: z.string().min(1),
  snippet: z.object({ publishedAt: z.iso.datetime({ offset: true }).optional() }).optional(),
  status: z
    .object({
      uploadStatus: z.string().optional(),
      failureReason: z.string().optional(),
      rejectionReason: z.string().optional(),
    })
    .optional(),
})
export type Video = z.infer<typeof Video>

/** Where and since when a video is there; `otherwise` is the time of one that does not tell. */
export function liveOf({ id, snippet }: Video, settings: Settings, otherwise: Date): Live {
  const at = snippet?.publishedAt
  return {
    platformPostId: id,
    url: addressOf(settings['webUrl'] ?? '', '/watch', { v: id }),
    publishedAt: (at === undefined ? otherwise : new Date(at)).toISOString(),
  }
}

/** Why YouTube does not show a video that it took, or undefined when it does, or is still processing it. */
export function refusalOf({ status }: Video): { errorCode: string; message: string } | undefined {
  const { uploadStatus = '', failureReason = 'no reason', rejectionReason = '' } = status ?? {}
  switch (uploadStatus) {
    case 'failed':
      return {
        errorCode: 'media_unfit',
        message: `YouTube could not process the video (${failureReason}).`,
      }
    case 'rejected':
      return rejection(rejectionReason)
    case 'deleted':
      return { errorCode: 'platform_rejected', message: 'The video was deleted at YouTube.' }
    default:
      return undefined
  }
}

const REJECTIONS = new Map([
  ['duplicate', ['duplicate', 'YouTube rejected the video because the channel has it already.']],
  [
    'length',
    [
      'media_unfit',
      'The video is longer than this channel may have. Verify the account at YouTube.',
    ],
  ],
  ['uploaderAccountClosed', ['account_suspended', 'The YouTube account is closed.']],
  ['uploaderAccountSuspended', ['account_suspended', 'YouTube has suspended the account.']],
] as const)

function rejection(reason: string): { errorCode: string; message: string } {
  const [errorCode, message] = [...REJECTIONS].find(([known]) => known === reason)?.[1] ?? [
    'platform_rejected',
    `YouTube rejected the video (${reason || 'no reason'}).`,
  ]
  return { errorCode, message }
}
