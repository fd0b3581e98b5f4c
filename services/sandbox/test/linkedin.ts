import type { Asked, TestSandbox } from './sandbox.ts'

const VERSIONED = { 'linkedin-version': '202609', 'x-restli-protocol-version': '2.0.0' }

/** A member or page of LinkedIn with a token of the control API, and the calls it makes. */
export async function linkedinUser(sandbox: TestSandbox, username?: string) {
  const { account, credentials } = await sandbox.account('LINKEDIN', username)
  const token = credentials['accessToken'] ?? ''
  const ask = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = VERSIONED,
  ): Promise<Asked> => sandbox.ask(method, `/linkedin${path}`, { token, body, headers })
  const aPost = (more: Record<string, unknown> = {}) => ({
    author: account,
    commentary: 'Hello',
    visibility: 'PUBLIC',
    distribution: {
      feedDistribution: 'MAIN_FEED',
      targetEntities: [],
      thirdPartyDistributionChannels: [],
    },
    lifecycleState: 'PUBLISHED',
    ...more,
  })
  return {
    account,
    ask,
    aPost,
    post: (more?: Record<string, unknown>) => ask('POST', '/rest/posts', aPost(more)),
    begin: (kind: string, more = {}) =>
      ask('POST', `/rest/${kind}s?action=initializeUpload`, {
        initializeUploadRequest: { owner: account, ...more },
      }),
    /** Sends bytes to an address that the sandbox has named. */
    put: (url: string, bytes: Uint8Array) =>
      ask('PUT', url.slice(`${sandbox.url}/linkedin`.length), bytes, {}),
  }
}
