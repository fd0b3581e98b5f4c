import type { Asked, TestSandbox } from './sandbox.ts'

export const INFO = { title: 'A boat', privacy_level: 'PUBLIC_TO_EVERYONE' }
export const MB = 1024 * 1024

/** A creator with a token of the control API, and the calls it makes. */
export async function tiktokUser(sandbox: TestSandbox, username?: string) {
  const { account, credentials } = await sandbox.account('TIKTOK', username)
  const token = credentials['accessToken'] ?? ''
  const ask = (path: string, body: unknown = {}): Promise<Asked> =>
    sandbox.ask('POST', `/tiktok/v2${path}`, { token, body })
  const put = (uploadUrl: string, range: string, bytes: Uint8Array, type = 'video/mp4') =>
    sandbox.ask('PUT', uploadUrl.slice(sandbox.url.length), {
      body: bytes,
      headers: { 'content-range': range, 'content-type': type },
    })
  const initVideo = (size: number, chunk = size, count = 1, info: object = INFO) =>
    ask('/post/publish/video/init/', {
      post_info: info,
      source_info: {
        source: 'FILE_UPLOAD',
        video_size: size,
        chunk_size: chunk,
        total_chunk_count: count,
      },
    })
  return {
    account,
    credentials,
    token,
    ask,
    put,
    initVideo,
    status: async (publishId: string) =>
      (await ask('/post/publish/status/fetch/', { publish_id: publishId })).body.data,
    initPhotos: (urls: string[], info: object = INFO) =>
      ask('/post/publish/content/init/', {
        media_type: 'PHOTO',
        post_mode: 'DIRECT_POST',
        post_info: info,
        source_info: { source: 'PULL_FROM_URL', photo_cover_index: 0, photo_images: urls },
      }),
    /** Uploads a video of one chunk; answers the id of its publishing. */
    async post(bytes: Uint8Array, info: object = INFO): Promise<string> {
      const { data } = (await initVideo(bytes.length, bytes.length, 1, info)).body
      await put(data.upload_url, `bytes 0-${bytes.length - 1}/${bytes.length}`, bytes)
      return data.publish_id
    },
  }
}
