import type { PublishFile } from '../src/platform.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, type Received, scriptedServer } from './scripted-server.ts'

export const MB = 1024 * 1024
export const OPTIONS = { privacyLevel: 'PUBLIC_TO_EVERYONE' }
export const CREATOR = {
  creator_username: 'ada',
  creator_nickname: 'Ada L.',
  creator_avatar_url: 'https://files.example/ada.jpeg',
  privacy_level_options: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
  comment_disabled: false,
  duet_disabled: false,
  stitch_disabled: false,
  max_video_post_duration_sec: 300,
}
export const ID = '7384019283746501928'

/** A success, and a refusal, which may have the status of one. */
export function ok(data: unknown): Answer {
  return { body: { data, error: { code: 'ok', message: '', log_id: 'x' } } }
}
export function refusal(status: number, code: string): Answer {
  return { status, body: { data: {}, error: { code, message: 'No.', log_id: 'x' } } }
}

/** The state of a publishing; ids are numbers, as TikTok sends them. */
export function state(status: string, more: object = {}, ids: string[] = []): Answer {
  const text = JSON.stringify(ok({ status, ...more, publicaly_available_post_id: ['IDS'] }).body)
  return { body: text.replace('"IDS"', ids.join(',')) }
}

export function aVideo(sizeBytes: number, more: Partial<PublishFile> = {}): PublishFile {
  return aPublishFile('med_1', 'video', { bytes: Buffer.alloc(sizeBytes, 'v'), ...more })
}

type Answers = {
  creator?: Answer
  init?: Answer
  content?: Answer
  chunks?: Answer[]
  states?: Answer[]
  list?: Answer
  user?: Answer
  token?: Answer
}

/** A server that answers so; of several answers to one call the last one stays. */
export async function aServer(answers: Answers) {
  const server = await scriptedServer(({ path, headers }) => {
    const host = `http://${headers.host}`
    switch (path) {
      case '/v2/post/publish/creator_info/query/':
        return answers.creator ?? ok(CREATOR)
      case '/v2/post/publish/video/init/':
        return answers.init ?? ok({ publish_id: 'v_1', upload_url: `${host}/upload?id=1` })
      case '/v2/post/publish/content/init/':
        return answers.content ?? ok({ publish_id: 'p_1' })
      case '/v2/post/publish/status/fetch/':
        return next(answers.states)
      case '/upload':
        return next(answers.chunks)
      case '/v2/video/list/':
        return answers.list ?? { status: 500, body: '' }
      case '/v2/user/info/':
        return answers.user ?? ok({ user: { open_id: 'open-1' } })
      case '/v2/oauth/token/':
        return answers.token ?? { status: 500, body: '' }
      default:
        return { status: 404, body: '' }
    }
  })
  const settings = {
    authorizeUrl: 'https://www.tiktok.example/v2/auth/authorize',
    tokenUrl: `${server.url}/v2/oauth/token`,
    revokeUrl: `${server.url}/v2/oauth/revoke`,
    apiUrl: `${server.url}/v2`,
    webUrl: 'https://tok.example',
    clientId: 'app-1',
    clientSecret: 'secret-1',
  }
  const uploadUrl = `${server.url}/upload?id=1`
  return {
    ...server,
    settings,
    account: { baseUrl: '', account: 'open-1', limits: {}, settings, token: 'token-1' },
    step: (sentChunks: number) => ({ fileId: 'med_1', publishId: 'v_1', uploadUrl, sentChunks }),
    input: (overrides: Parameters<typeof aPublishInput>[0] = {}) =>
      aPublishInput({ settings, options: OPTIONS, media: [aVideo(MB)], ...overrides }),
  }
}

function next(answers: Answer[] = []): Answer {
  return (answers.length > 1 ? answers.shift() : answers[0]) ?? { status: 500, body: '' }
}

/** The last words of the paths that were called, and the chunks that were sent. */
export function calls(received: Received[]): (string | undefined)[] {
  return received.map(({ path, headers }) =>
    path === '/upload' ? headers['content-range'] : /(\w+\/\w+)\/$/.exec(path)?.[1],
  )
}
