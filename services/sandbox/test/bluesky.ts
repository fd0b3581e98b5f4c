import { type Ask, request, type TestSandbox } from './sandbox.ts'

export const POSTS = 'app.bsky.feed.post'
export const CREATED_AT = '2026-11-21T12:00:00.000Z'

/** An account with an open session, and the calls it makes. */
export async function blueskyUser(sandbox: TestSandbox, username?: string) {
  const { account: did, baseUrl, credentials } = await sandbox.account('BLUESKY', username)
  const { identifier = '', appPassword = '' } = credentials
  const xrpc = (method: string, nsid: string, options: Ask = {}) =>
    request(method, `${baseUrl}/xrpc/${nsid}`, options)
  const login = (password = appPassword) =>
    xrpc('POST', 'com.atproto.server.createSession', { body: { identifier, password } })
  const session = (await login()).body
  const token: string = session.accessJwt
  const write = (nsid: string) => (record: unknown, rkey?: string) =>
    xrpc('POST', `com.atproto.repo.${nsid}`, {
      token,
      body: { repo: did, collection: POSTS, rkey, record },
    })
  return {
    did,
    handle: identifier,
    appPassword,
    token,
    login,
    xrpc,
    refreshToken: session.refreshJwt as string,
    refresh: (refreshToken: string) =>
      xrpc('POST', 'com.atproto.server.refreshSession', { token: refreshToken }),
    create: write('createRecord'),
    put: write('putRecord'),
    post: (text: string, more: Record<string, unknown> = {}) =>
      write('createRecord')({ text, createdAt: CREATED_AT, ...more }),
    get: (rkey: string) =>
      xrpc('GET', `com.atproto.repo.getRecord?repo=${did}&collection=${POSTS}&rkey=${rkey}`),
    upload: (bytes: Uint8Array, type = 'application/octet-stream') =>
      xrpc('POST', 'com.atproto.repo.uploadBlob', {
        token,
        body: bytes,
        headers: { 'content-type': type },
      }),
  }
}
