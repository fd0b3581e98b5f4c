import { z } from 'zod'
import type { Answer, Call } from '../../call.ts'
import { fetchFile } from '../../fetch-file.ts'
import { authenticate, readBody } from './authenticate.ts'
import { requireLeave } from './creator.ts'
import { askedFailure, judgePhoto, store } from './judge-files.ts'
import { requireOwnUrl } from './own-url.ts'
import { acceptInfo, PhotoInfo } from './post-info.ts'
import { envelope, refuseParams } from './refusals.ts'
import type { Tiktok } from './server.ts'
import type { Complete, PostInfo, Publishing, StoredFile } from './state.ts'

const MAX_BYTES = 20 * 1024 * 1024

const Body = z.object({
  media_type: z.literal('PHOTO'),
  post_mode: z.literal('DIRECT_POST'),
  post_info: PhotoInfo,
  source_info: z.object({
    source: z.literal('PULL_FROM_URL'),
    photo_cover_index: z.int().nonnegative(),
    photo_images: z.array(z.string()).min(1).max(35),
  }),
})

/** `POST /v2/post/publish/content/init/`: posts photos, which TikTok fetches. */
export async function initPhotos(tiktok: Tiktok, call: Call): Promise<Answer> {
  const account = authenticate(tiktok, call, 'video.publish')
  const { post_info, source_info } = readBody(Body, call)
  requireLeave(tiktok, account)
  const info = acceptInfo(account, post_info, { title: 90, description: 4000 })
  const { photo_images: urls, photo_cover_index: cover } = source_info
  if (cover >= urls.length) refuseParams('The photo_cover_index is out of range.')
  for (const url of urls) requireOwnUrl(url)
  const publishing: Omit<Publishing, 'chunks'> = {
    publishId: `p_pub_url~v2.${tiktok.newPostId()}`,
    postId: tiktok.newPostId(),
    accountId: account.id,
    kind: 'photo',
    info,
    begunAt: tiktok.now(),
    upload: null,
  }
  tiktok.record({ type: 'begun', publishing })
  const { publishId, postId } = publishing
  const complete = { at: tiktok.now(), ...(await fetchAll(tiktok, urls, info)) }
  tiktok.record({ type: 'completed', publishId, complete })
  const answer = envelope(200, { publish_id: publishId })
  return complete.failReason === null ? { ...answer, applied: postId } : answer
}

async function fetchAll(
  tiktok: Tiktok,
  urls: readonly string[],
  info: PostInfo,
): Promise<Omit<Complete, 'at'>> {
  const files: StoredFile[] = []
  for (const url of urls) {
    const file = await fetchFile(url, MAX_BYTES)
    if ('problem' in file) {
      const isTooLarge = file.problem === 'too-large'
      const failReason = isTooLarge ? 'picture_size_check_failed' : 'photo_pull_failed'
      return { files: [], failReason }
    }
    const failReason = judgePhoto(file)
    if (failReason !== null) return { files: [], failReason }
    files.push(store(tiktok, file))
  }
  return { files, failReason: askedFailure(info) }
}
