import { type Asked, type TestSandbox } from './sandbox.ts'

const USER_AGENT = 'test:sandbox:v1 (by /u/tester)'

export type RedditUser = Awaited<ReturnType<typeof redditUser>>

/** An account with a token of the control API, and the calls it makes. */
export async function redditUser(sandbox: TestSandbox, username?: string) {
  const { account, credentials } = await sandbox.account('REDDIT', username)
  const token = credentials['accessToken'] ?? ''
  const call = (method: string, path: string, body?: unknown): Promise<Asked> =>
    sandbox.ask(method, `/reddit${path}`, {
      token,
      body,
      headers: { 'user-agent': USER_AGENT },
    })
  const form = (path: string, fields: Record<string, string>): Promise<Asked> => {
    const body = new TextEncoder().encode(new URLSearchParams(fields).toString())
    return sandbox.ask('POST', `/reddit${path}`, {
      token,
      body,
      headers: {
        'user-agent': USER_AGENT,
        'content-type': 'application/x-www-form-urlencoded',
      },
    })
  }
  return {
    account,
    token,
    credentials,
    call,
    form,
    /** Posts to r/boats, unless told otherwise. */
    submit: (fields: Record<string, string>) =>
      form('/api/submit', {
        api_type: 'json',
        sr: 'boats',
        kind: 'self',
        title: 'A boat',
        ...fields,
      }),
    /** Uploads a file: what a post names it by. */
    upload: async (bytes: Uint8Array, mimetype: string) => {
      const lease = await form('/api/media/asset.json', { filepath: 'file', mimetype })
      const { args, asset } = lease.body
      const stored = await store(args, bytes)
      return {
        stored,
        id: asset.asset_id as string,
        url: `http:${args.action}/${keyOf(args)}`,
        websocketUrl: asset.websocket_url as string,
      }
    },
  }
}

type Args = { action: string; fields: { name: string; value: string }[] }

/** Posts a file to the storage with the fields of a lease. */
export async function store({ action, fields }: Args, bytes: Uint8Array): Promise<Response> {
  const form = new FormData()
  for (const { name, value } of fields) form.append(name, value)
  form.append('file', new Blob([Buffer.from(bytes)]), 'file')
  return await fetch(`http:${action}`, { method: 'POST', body: form })
}

function keyOf({ fields }: Args): string {
  return fields.find(({ name }) => name === 'key')?.value ?? ''
}
