import type { Asked, TestSandbox } from './sandbox.ts'

/** An account of a Meta platform with a token of the control API, and the calls it makes below a base path. */
export async function graphUser(sandbox: TestSandbox, platform: string, path: string) {
  const { account, credentials } = await sandbox.account(platform, 'ada')
  const token = credentials['accessToken'] ?? ''
  const ask = (method: string, below: string, body?: unknown): Promise<Asked> =>
    sandbox.ask(method, `${path}${below}`, { token, body })
  return { account, token, credentials, ask }
}

/** The code and subcode of a refusal. */
export function codesOf({ status, body }: Asked): (number | undefined)[] {
  return [status, body.error?.code, body.error?.error_subcode]
}
