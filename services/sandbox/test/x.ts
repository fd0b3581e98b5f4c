import type { Asked, TestSandbox } from './sandbox.ts'

/** An account of X with a token of the control API, and the calls it makes. */
export async function xUser(sandbox: TestSandbox, username?: string) {
  const { account, credentials } = await sandbox.account('X', username)
  const token = credentials['accessToken'] ?? ''
  const ask = (method: string, path: string, body?: unknown): Promise<Asked> =>
    sandbox.ask(method, `/x${path}`, { token, body })
  const append = (id: string, index: number | string, bytes: Uint8Array) => {
    const form = new FormData()
    form.set('segment_index', String(index))
    form.set('media', new Blob([Buffer.from(bytes)]), 'part')
    return ask('POST', `/2/media/upload/${id}/append`, form)
  }
  const begin = (media_type: string, media_category: string, total_bytes: number) =>
    ask('POST', '/2/media/upload/initialize', { media_type, media_category, total_bytes })
  return {
    account,
    token,
    credentials,
    ask,
    begin,
    append,
    finalize: (id: string) => ask('POST', `/2/media/upload/${id}/finalize`),
    post: (body: unknown) => ask('POST', '/2/tweets', body),
    /** A file that is uploaded in one part; its id, or the first refusal. */
    upload: async (bytes: Uint8Array, type = 'image/png', category = 'tweet_image') => {
      const begun = await begin(type, category, bytes.length)
      if (begun.status !== 200) return begun
      const { id } = begun.body.data
      await append(id, 0, bytes)
      return await ask('POST', `/2/media/upload/${id}/finalize`)
    },
  }
}
