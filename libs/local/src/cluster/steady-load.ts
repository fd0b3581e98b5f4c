import { Agent, request } from 'node:http'
import { encodePng } from '../encode-png.ts'

/** How one request of the load went: a status, or the error that the client saw instead. */
export type LoadAnswer = {
  /** What was asked, such as `POST /posts`. */
  name: string
  /** From the beginning of the load. */
  atMs: number
  tookMs: number
  isAsWanted: boolean
  /** The status, or what broke. */
  outcome: string
}

export type LoadResult = {
  answers: LoadAnswer[]
  /** Those that were not as wanted. */
  failures: LoadAnswer[]
  /** Posts that were accepted to be published at once or in a moment. */
  postIds: string[]
}

export type SteadyLoad = {
  answers: readonly LoadAnswer[]
  /** Sends nothing more, waits for what is under way, and answers how everything went. */
  stop: () => Promise<LoadResult>
}

export type LoadOptions = {
  apiUrl: string
  apiKey: string
  channelIds: readonly string[]
  /** Requests a second, whatever becomes of those before. */
  perSecond: number
}

const GIVE_UP_MS = 30_000
const AHEAD_MS = 3_000
const A_DAY_MS = 86_400_000
const EDITED_POSTS = 8

/** Of ten requests: four read a post, one lists, two publish, one schedules, one edits, one begins an upload. */
const MIX = ['get', 'now', 'get', 'edit', 'list', 'get', 'soon', 'now', 'get', 'upload'] as const

/**
 * Uses the API as a client that has no patience: so many requests a second over kept connections, none of them made again.
 */
export async function startLoad(options: LoadOptions): Promise<SteadyLoad> {
  const api = client(options)
  const { channelIds } = options
  const postIds: string[] = []
  const edited: string[] = []
  const under = new Set<Promise<unknown>>()
  const label = Math.random().toString(36).slice(2)
  let count = 0

  const create = async (publishAt?: string) => {
    const content = `${label} ${(count += 1)}`
    const body = { content, channelIds, ...(publishAt && { publishAt }) }
    return (await api.ask<{ id: string }>('POST', '/posts', 201, body))?.id
  }
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
  const keep = (ids: string[]) => (id: string | undefined) => void (id && ids.push(id))
  const anyOf = (ids: string[]) => ids[Math.floor(Math.random() * ids.length)] ?? ''
  const edit = () =>
    api.ask('PATCH', `/posts/${anyOf(edited)}`, 200, { content: `${label} ${(count += 1)}` })

  const actions: Record<(typeof MIX)[number], () => Promise<unknown>> = {
    get: () => api.ask('GET', `/posts/${anyOf(edited)}`, 200),
    list: () => api.ask('GET', '/posts?limit=10', 200),
    now: () => create().then(keep(postIds)),
    soon: () => create(inMs(AHEAD_MS)).then(keep(postIds)),
    edit,
    upload: () => uploadPicture(api),
  }

  for (let index = 0; index < EDITED_POSTS; index++) await create(inMs(A_DAY_MS)).then(keep(edited))
  let turn = 0
  const sending = setInterval(() => {
    const action = MIX[(turn += 1) % MIX.length] ?? 'get'
    const work = actions[action]().finally(() => under.delete(work))
    under.add(work)
  }, 1000 / options.perSecond)

  return {
    answers: api.answers,
    stop: async () => {
      clearInterval(sending)
      await Promise.all(under)
      api.close()
      const failures = api.answers.filter(({ isAsWanted }) => !isAsWanted)
      return { answers: api.answers, failures, postIds }
    },
  }
}

type Api = ReturnType<typeof client>
type Sent = { method: string; headers?: Record<string, string>; body?: string | Buffer }

function client({ apiUrl, apiKey }: LoadOptions) {
  const agent = new Agent({ keepAlive: true })
  const answers: LoadAnswer[] = []
  const startedAt = performance.now()

  /** Sends once; notes how it went; answers the body when the status is the wanted one. */
  const note = async (name: string, wanted: number, url: string, sent: Sent) => {
    const from = performance.now()
    const { outcome, text } = await send(agent, url, sent)
    const isAsWanted = outcome === String(wanted)
    const tookMs = performance.now() - from
    answers.push({ name, atMs: from - startedAt, tookMs, isAsWanted, outcome })
    return isAsWanted ? text : undefined
  }
  return {
    answers,
    note,
    ask: async <T>(method: string, path: string, wanted: number, body?: unknown) => {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
      const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
      const name = `${method} ${path.replace(/(post|med)_\w+/, '{id}').replace(/\?.*/, '')}`
      const text = await note(name, wanted, `${apiUrl}/v1${path}`, sent)
      return text === undefined ? undefined : (JSON.parse(text) as T)
    },
    close: () => agent.destroy(),
  }
}

/** Never rejects: what breaks is an outcome. */
function send(
  agent: Agent,
  url: string,
  { method, headers, body }: Sent,
): Promise<{ outcome: string; text: string }> {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) =>
      resolve({ outcome: error.code ?? error.message, text: '' })
    const signal = AbortSignal.timeout(GIVE_UP_MS)
    const options = { agent, method, signal, headers: { ...headers, ...length } }
    const sent = request(url, options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ outcome: String(response.statusCode), text }))
      response.on('error', fail)
    })
    sent.on('error', fail)
    sent.end(body)
  })
}

const PICTURE = encodePng(1, 1, Buffer.from([0, 200, 100, 50]))

type Announced = {
  media: { id: string }
  upload: { url: string; method: string; headers: Record<string, string> }
}

/** The three steps of an upload. */
async function uploadPicture(api: Api): Promise<void> {
  const body = { fileName: 'a.png', mimeType: 'image/png', fileSize: PICTURE.length }
  const announced = await api.ask<Announced>('POST', '/media/uploads', 201, body)
  if (!announced) return
  const { url, method, headers } = announced.upload
  const put = await api.note('PUT file', 200, url, { method, headers, body: PICTURE })
  if (put !== undefined) await api.ask('POST', `/media/${announced.media.id}/complete`, 200)
}
