import type { PublishFile } from '../src/platform.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, type Received, scriptedServer } from './scripted-server.ts'

export const MIB = 1024 * 1024
export const OPTIONS = { title: 'A boat', privacyStatus: 'unlisted' }
export const VIDEO = {
  id: 'dQw4w9WgXcQ',
  snippet: { publishedAt: '2026-11-21T09:30:01Z' },
  status: { uploadStatus: 'uploaded' },
}

/** A video of so many bytes. */
export function aVideo(sizeBytes: number): PublishFile {
  return aPublishFile('med_1', 'video', { bytes: Buffer.alloc(sizeBytes, 'v') })
}

/** What YouTube says when it has the first bytes of an upload. */
export function stored(bytes: number): Answer {
  return { status: 308, headers: bytes === 0 ? {} : { range: `bytes=0-${bytes - 1}` }, body: '' }
}

export function refusal(status: number, reason: string): Answer {
  return { status, body: { error: { code: status, message: 'No.', errors: [{ reason }] } } }
}

/** A server that answers so: to the beginning of an upload, and to each call to its session in turn. */
export async function aServer(answers: { open?: Answer; session?: Answer[]; videos?: Answer }) {
  const left = [...(answers.session ?? [])]
  const server = await scriptedServer(({ method, path, headers }) => {
    if (method === 'GET') return answers.videos ?? { status: 500, body: '' }
    if (path !== '/session')
      return (
        answers.open ?? { headers: { location: `http://${headers.host}/session?id=1` }, body: '' }
      )
    return (left.length > 1 ? left.shift() : left[0]) ?? { status: 500, body: '' }
  })
  const settings = {
    apiUrl: `${server.url}/api`,
    uploadUrl: `${server.url}/upload`,
    webUrl: 'https://tube.example',
  }
  return {
    ...server,
    settings,
    session: `${server.url}/session?id=1`,
    input: (overrides: Parameters<typeof aPublishInput>[0] = {}) =>
      aPublishInput({ settings, options: OPTIONS, media: [aVideo(MIB)], ...overrides }),
  }
}

/** The parts and questions that a session was sent. */
export function ranges(received: Received[]): (string | undefined)[] {
  return received
    .filter(({ path }) => path === '/session')
    .map(({ headers }) => headers['content-range'])
}
