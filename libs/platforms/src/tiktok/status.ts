import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import type { HttpResult } from '../http.ts'
import type { Live, PublishInput } from '../platform.ts'
import { oneLine, reason } from '../refusal.ts'
import { callApi, dataOf } from './api.ts'
import { TIKTOK_ERRORS } from './errors.ts'

const TIMEOUT_MS = 10_000

const Status = z.object({
  status: z.string(),
  fail_reason: z.string().optional(),
  /** The name is TikTok's own. */
  publicaly_available_post_id: z
    .array(z.union([z.string(), z.number()]).transform(String))
    .nullish(),
  uploaded_bytes: z.number().optional(),
})
export type Status = z.infer<typeof Status>

/** What has become of a post that was begun, or why that is not known. Reads only. */
export async function fetchStatus(
  input: Pick<PublishInput, 'settings' | 'token' | 'signal'>,
  publishId: string,
): Promise<{ known: Status } | { unknown: string; result: HttpResult }> {
  const body = { publish_id: publishId }
  const path = '/post/publish/status/fetch/'
  const result = await callApi(input, path, body, { timeoutMs: TIMEOUT_MS })
  if (result.kind !== 'response')
    return { unknown: `TikTok did not answer (${reason(result.error)}).`, result }
  const status = dataOf(Status, result)
  if (status) return { known: status }
  const { code } = TIKTOK_ERRORS.read(result.text)
  return { unknown: `TikTok answered ${oneLine(code ?? `with status ${result.status}`)}.`, result }
}

/** Whether the end of a video has not come. Nobody sends the rest of it, so it is never published. */
export function isIncomplete(
  { status, uploaded_bytes: uploaded }: Status,
  sizeBytes: number,
): boolean {
  return status === 'PROCESSING_UPLOAD' && uploaded !== undefined && uploaded < sizeBytes
}

/**
 * Where a published post is. One that not everybody may see has no id of its own, and one for everybody gets it when
 * TikTok has looked at it; until then it is known by the id of its publishing, and found at the creator's profile.
 */
export function liveOf(
  { publicaly_available_post_id: ids }: Status,
  publishId: string,
  { settings, username, media }: Pick<PublishInput, 'settings' | 'username' | 'media'>,
  at: Date,
): Live {
  const profile = addressOf(settings['webUrl'] ?? '', `/@${username}`)
  const id = ids?.[0]
  const kind = media[0]?.type === 'video' ? 'video' : 'photo'
  return {
    platformPostId: id ?? publishId,
    url: id === undefined ? profile : `${profile}/${kind}/${id}`,
    publishedAt: at.toISOString(),
  }
}
