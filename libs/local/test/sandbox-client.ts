import { z } from 'zod'

const Live = z.object({
  data: z.array(
    z.object({
      platform: z.string(),
      account: z.string(),
      id: z.string(),
      url: z.string(),
      text: z.string(),
      media: z.array(
        z.object({
          mimeType: z.string(),
          sizeBytes: z.int(),
          sha256: z.string(),
          width: z.int().nullable(),
          height: z.int().nullable(),
          altText: z.string().nullable(),
        }),
      ),
    }),
  ),
})
const Account = z.object({
  account: z.string(),
  baseUrl: z.string(),
  credentials: z.record(z.string(), z.string()),
})
const Requests = z.object({ data: z.array(z.object({ applied: z.boolean() }).loose()) })

export type SandboxClient = ReturnType<typeof sandboxClient>
type Place = { platform: string; account?: string }

/** The control side of the sandbox: the ground truth of what is live. */
export function sandboxClient(url: string) {
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${url}/_${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    })
    if (!response.ok)
      throw new Error(`The sandbox answered ${response.status} to ${method} ${path}.`)
    return response.status === 204 ? undefined : response.json()
  }
  const query = ({ platform, account }: Place) =>
    `?${new URLSearchParams({ platform, ...(account && { account }) }).toString()}`
  return {
    url,
    /** A new account; for a username that exists, new credentials of its account. */
    createAccount: async (platform: string, username?: string) =>
      Account.parse(await ask('POST', '/accounts', { platform, ...(username && { username }) })),
    /** What is live, oldest first. */
    live: async (place: Place) => Live.parse(await ask('GET', `/posts${query(place)}`)).data,
    /** Every call that would make a post live, as the platform received it. */
    requests: async (place: Place) =>
      Requests.parse(await ask('GET', `/requests${query(place)}`)).data,
    /** Every call that brought a file, as the platform received it. */
    uploads: async (place: Place) =>
      Requests.parse(await ask('GET', `/uploads${query(place)}`)).data,
    fault: (fault: Place & { kind: string; times: number; on?: string }) =>
      ask('POST', '/faults', fault),
    revoke: (place: Place) => ask('POST', '/tokens/revoke', place),
  }
}
