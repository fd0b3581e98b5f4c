import type { Asked, TestSandbox } from './sandbox.ts'

/** An account with a token of the control API, and the calls it makes. */
export async function mastodonUser(sandbox: TestSandbox, username?: string) {
  const { account, credentials } = await sandbox.account('MASTODON', username)
  const token = credentials['accessToken'] ?? ''
  const ask = (method: string, path: string, body?: unknown): Promise<Asked> =>
    sandbox.ask(method, `/mastodon${path}`, { token, body })
  return {
    account,
    token,
    ask,
    post: (body: unknown, key?: string) =>
      sandbox.ask('POST', '/mastodon/api/v1/statuses', {
        token,
        body,
        headers: key === undefined ? {} : { 'idempotency-key': key },
      }),
    upload: (bytes: Uint8Array, description?: string) => {
      const form = new FormData()
      form.set('file', new Blob([Buffer.from(bytes)]), 'file')
      if (description !== undefined) form.set('description', description)
      return ask('POST', '/api/v2/media', form)
    },
  }
}
