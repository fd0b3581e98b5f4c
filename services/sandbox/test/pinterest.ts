import { hostedFiles } from './hosted-files.ts'
import { type Asked, type TestSandbox } from './sandbox.ts'

/** An account with a token of the control API, its first board, and the calls it makes. */
export async function pinterestUser(sandbox: TestSandbox, username?: string) {
  const { account, credentials } = await sandbox.account('PINTEREST', username)
  const token = credentials['accessToken'] ?? ''
  const ask = (method: string, path: string, body?: unknown): Promise<Asked> =>
    sandbox.ask(method, `/pinterest/v5${path}`, { token, body })
  const boardId: string = (await ask('GET', '/boards')).body.items[0].id
  return {
    account,
    token,
    credentials,
    boardId,
    ask,
    /** Pins to the first board, unless told otherwise. */
    pin: (media_source: unknown, more = {}) =>
      ask('POST', '/pins', { board_id: boardId, media_source, ...more }),
    /** Announces a video and sends it to the storage. */
    upload: async (bytes: Uint8Array) => {
      const { body } = await ask('POST', '/media', { media_type: 'video' })
      const stored = await store(body, bytes)
      return { id: body.media_id as string, stored }
    },
  }
}

type Registered = { upload_url: string; upload_parameters: Record<string, string> }

/** Posts a file to the storage with the parameters of an announced video. */
export async function store(
  { upload_url, upload_parameters }: Registered,
  bytes: Uint8Array,
): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries(upload_parameters)) form.append(name, value)
  form.append('file', new Blob([Buffer.from(bytes)]), 'file')
  return await fetch(upload_url, { method: 'POST', body: form })
}

/** These files by their names at an address that Pinterest can fetch them from; nothing is at the address of another name. */
export async function named(files: Record<string, Buffer>) {
  const hosted = await hostedFiles()
  return {
    ...hosted,
    urlOf: (name: string) => {
      const bytes = new Map(Object.entries(files)).get(name)
      const url = hosted.host(name, bytes ?? Buffer.alloc(0), 'application/octet-stream')
      if (!bytes) hosted.remove(name)
      return url
    },
  }
}
