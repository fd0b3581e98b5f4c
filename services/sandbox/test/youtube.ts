import type { Asked, TestSandbox } from './sandbox.ts'

export const UNIT = 256 * 1024
export const RESOURCE = {
  snippet: { title: 'A boat', description: 'On the sea' },
  status: { privacyStatus: 'public', selfDeclaredMadeForKids: false },
}

/** A channel with a token of the control API, and the calls it makes. */
export async function youtubeUser(sandbox: TestSandbox, username?: string) {
  const { account, credentials } = await sandbox.account('YOUTUBE', username)
  const token = credentials['accessToken'] ?? ''
  const ask = (method: string, path: string, options = {}): Promise<Asked> =>
    sandbox.ask(method, `/youtube${path}`, { token, ...options })
  const put = async (session: string, range: string, bytes: Uint8Array) => {
    const path = session.slice(`${sandbox.url}/youtube`.length)
    return ask('PUT', path, { body: bytes, headers: { 'content-range': range } })
  }
  return {
    account,
    credentials,
    token,
    ask,
    put,
    open: (resource: unknown = RESOURCE, options: { query?: string; length?: number } = {}) =>
      ask(
        'POST',
        `/upload/youtube/v3/videos?${options.query ?? 'uploadType=resumable&part=snippet,status'}`,
        {
          body: resource,
          headers: {
            'x-upload-content-type': 'video/mp4',
            ...(options.length !== undefined && {
              'x-upload-content-length': String(options.length),
            }),
          },
        },
      ),
    /** Uploads a video in one part. */
    async post(bytes: Uint8Array, resource: unknown = RESOURCE) {
      const { headers } = await this.open(resource, { length: bytes.length })
      const session = headers.get('location') ?? ''
      return put(session, `bytes 0-${bytes.length - 1}/${bytes.length}`, bytes)
    },
  }
}
