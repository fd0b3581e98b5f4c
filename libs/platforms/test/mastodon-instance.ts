import { mastodonConnector as mastodon } from '../src/mastodon/connector.ts'
import type { PublishFile } from '../src/platform.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, scriptedServer } from './scripted-server.ts'

type Answers = { instance?: Answer; upload?: Answer; states?: Answer[] }

/** An instance that answers so; of the states of a file the last one stays. */
export function anInstance({ instance = { status: 404, body: '' }, upload, states = [] }: Answers) {
  const left = [...states]
  return scriptedServer(({ path }) => {
    if (path === '/api/v2/instance') return instance
    if (path === '/api/v2/media') return upload ?? { body: { id: '110', url: 'https://a/1' } }
    return (left.length > 1 ? left.shift() : left[0]) ?? { status: 500, body: '' }
  })
}

/** How an instance tells its limits. */
export function configured(limits: Record<string, unknown>): Answer {
  return { body: { configuration: { media_attachments: limits } } }
}

/** What preparing a post with these files comes to on such an instance, and what the instance was asked. */
export async function prepare(
  media: PublishFile[],
  answers: Answers,
  step?: Record<string, unknown>,
) {
  await using server = await anInstance(answers)
  const input = aPublishInput({ baseUrl: server.url, media })
  const kept: unknown[] = []
  const onStep = async (done: Record<string, unknown>) => void kept.push(done)
  const outcome = await mastodon.prepare({ ...input, step: step ?? {}, onStep })
  return { outcome, kept, received: server.received }
}
