import { CloudEvent } from '@herald/contracts/events'
import { FileMimeType, type Media } from '@herald/contracts/media'
import { loadEvents } from '@herald/event-store/handle'
import { FileFacts } from '@herald/media-files/inspection'
import { openMediaWorkers } from '@herald/media-files/media-workers'
import { UnreadableFile } from '@herald/media-files/unreadable-file'
import { WorkersBusy } from '@herald/media-files/workers-busy'
import { loadConfig } from '@herald/service/config'
import { StorageUnavailable } from '@herald/storage/errors'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Describer, describerEnv, describerFrom } from '../src/describe/describer.ts'
import { consumeReadyMedia, onMediaReady } from '../src/on-media-ready.ts'
import { toPublicEvent } from '../src/public-events.ts'
import { existsSync } from 'node:fs'
import { completion, KEY, MODEL, visionServer } from './describe-vision-server.ts'
import { png } from './pictures.ts'
import { type Ending, SAMPLES } from './samples.ts'
import { mediaWorld, uploaded, type World } from './world.ts'

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const workers = await openMediaWorkers({ idleMs: 600_000 })
afterAll(() => workers.close())

/** The describer that the settings choose, with the workers of the service. */
function describerOf(env: Record<string, string> = {}): Describer {
  return describerFrom(loadConfig(z.object(describerEnv), env), {
    describeFile: (path, facts) => workers.describe(path, FileFacts.parse(facts)),
  })
}

const visionOf = (url: string) =>
  describerOf({
    DESCRIBER: 'vision',
    DESCRIBER_URL: url,
    DESCRIBER_KEY: KEY,
    DESCRIBER_MODEL: MODEL,
    DESCRIBER_TIMEOUT_SECONDS: '0.5',
  })

/** The public event that says that a file is ready. */
async function readyEvent(world: World, { id }: Pick<Media, 'id'>): Promise<CloudEvent> {
  const stored = await loadEvents(world.pool, id, world.own)
  const ready = stored.find(({ type }) => type === 'UploadCompleted')!
  return CloudEvent.parse(JSON.parse(String(toPublicEvent(ready)?.body)))
}

async function run(world: World, media: Media, describe: Describer): Promise<void> {
  await onMediaReady({ ...world.deps, describe }, await readyEvent(world, media))
}

async function eventsOf(world: World, { id }: Media): Promise<string[]> {
  return (await loadEvents(world.pool, id, world.own)).map(({ type }) => type)
}

const found = async (world: World, q: string) => (await world.list({ q })).data.map(({ id }) => id)

test('a file has no description until it is described, and is found by it then', async () => {
  await using world = await mediaWorld()
  const media = await uploaded(world, png(64, 48))
  expect(media.description).toBeNull()
  await run(world, media, describerOf())
  const { description } = await world.get(media.id)
  expect(description).toMatch(/^[A-Z].*\.$/s)
  const [word = ''] = description!.split(/\W+/).filter(({ length }) => length > 3)
  expect(await found(world, word.toUpperCase())).toEqual([media.id])
  expect(await world.get(media.id)).toEqual({ ...media, description })
  expect(await eventsOf(world, media)).toEqual([
    'UploadStarted',
    'UploadCompleted',
    'MediaDescribed',
  ])
})

test.each<[Ending, string, string]>([
  ['png', 'image/png', 'Landscape picture, 4 by 3 pixels, mostly orange.'],
  ['jpg', 'image/jpeg', 'Landscape picture, 8 by 6 pixels, mostly dark grey, grey and light grey.'],
  ['webp', 'image/webp', 'Landscape picture, 8 by 6 pixels, mostly grey.'],
  ['gif', 'image/gif', 'Dark square GIF, 1 by 1 pixels, mostly black.'],
  ['mp4', 'video/mp4', 'Landscape MP4 video, 640 by 360 pixels, 5 seconds long.'],
  ['mov', 'video/quicktime', 'Landscape QuickTime video, 640 by 360 pixels, 5 seconds long.'],
  ['webm', 'video/webm', 'Landscape WebM video, 640 by 360 pixels, 5 seconds long.'],
  ['pdf', 'application/pdf', 'PDF document with 1 page.'],
  ['doc', 'application/msword', 'Word document.'],
  ['docx', `${OFFICE}.wordprocessingml.document`, 'Word document with 4 pages.'],
  ['ppt', 'application/vnd.ms-powerpoint', 'PowerPoint presentation.'],
  ['pptx', `${OFFICE}.presentationml.presentation`, 'PowerPoint presentation with 7 slides.'],
])(
  'without a model, a file of every type is described: %s',
  async (ending, mimeType, description) => {
    await using world = await mediaWorld()
    const body = { fileName: `a.${ending}`, mimeType: FileMimeType.parse(mimeType) }
    const media = await uploaded(world, SAMPLES[ending], body)
    await run(world, media, describerOf())
    expect(await world.get(media.id)).toEqual({ ...media, description })
  },
)

test('a vision endpoint is shown the thumbnail, and its words are searchable', async () => {
  await using server = await visionServer(() => completion('A red lighthouse.'))
  await using world = await mediaWorld()
  const media = await uploaded(world, png(64, 48))
  await run(world, media, visionOf(server.url))
  expect((await world.get(media.id)).description).toBe('A red lighthouse.')
  expect(await found(world, 'LIGHTHOUSE red')).toEqual([media.id])
  const shown = await fetch(media.thumbnailUrl!)
  expect(server.asked).toMatchObject([
    { image: Buffer.from(await shown.arrayBuffer()), mimeType: 'image/webp' },
  ])
})

test('an event that comes five times describes the file once', async () => {
  await using server = await visionServer()
  await using world = await mediaWorld()
  const media = await uploaded(world)
  for (let time = 0; time < 5; time++) await run(world, media, visionOf(server.url))
  expect(server.asked).toHaveLength(1)
  expect((await eventsOf(world, media)).filter((type) => type === 'MediaDescribed')).toHaveLength(1)
})

test('five at the same time describe it once, too', async () => {
  await using server = await visionServer()
  await using world = await mediaWorld()
  const media = await uploaded(world)
  await Promise.all(Array.from({ length: 5 }, () => run(world, media, visionOf(server.url))))
  expect((await eventsOf(world, media)).filter((type) => type === 'MediaDescribed')).toHaveLength(1)
})

describe('a failure that passes makes the event come again:', () => {
  test.each<[string, Parameters<typeof visionServer>[0]]>([
    ['a rate limit', () => ({ status: 429, body: '' })],
    ['an error of the endpoint', () => ({ status: 503, body: '' })],
    ['a broken connection', (response) => void response.destroy()],
    ['no answer in time', () => undefined],
  ])('%s', async (_name, script) => {
    await using server = await visionServer(script)
    await using world = await mediaWorld()
    const media = await uploaded(world)
    await expect(run(world, media, visionOf(server.url))).rejects.toMatchObject({ retryable: true })
    expect(await world.get(media.id)).toEqual(media)
    await using healed = await visionServer()
    await run(world, media, visionOf(healed.url))
    expect((await world.get(media.id)).description).toBe('A cat.')
  })

  test.each([
    ['storage is away', new StorageUnavailable('away')],
    ['the workers are busy', new WorkersBusy('busy')],
  ])('%s, for which it waits without counting', async (_name, error) => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    const describe = async () => Promise.reject(error)
    await expect(run(world, media, describe)).rejects.toMatchObject({ status: 503 })
    expect(await world.get(media.id)).toEqual(media)
  })

  test('one that nobody has thought of', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    const describe = async () => Promise.reject(new Error('ENOSPC'))
    await expect(run(world, media, describe)).rejects.toThrow('ENOSPC')
    expect(await world.get(media.id)).toEqual(media)
  })
})

describe('a failure that does not pass ends the matter, and the file stays as it is:', () => {
  test.each<[string, Parameters<typeof visionServer>[0]]>([
    ['a refusal', () => ({ status: 400, body: 'no' })],
    ['a wrong key', () => ({ status: 401, body: 'no' })],
    ['an answer that is no JSON', () => ({ body: 'A cat.' })],
    ['an answer without words', () => completion('  ')],
    ['an answer that is no text', () => completion({ a: 1 })],
    ['an answer of 300 KB', () => completion('a'.repeat(300_000))],
  ])('%s', async (_name, script) => {
    await using server = await visionServer(script)
    await using world = await mediaWorld()
    const media = await uploaded(world)
    await run(world, media, visionOf(server.url))
    expect(await world.get(media.id)).toEqual(media)
    expect(await eventsOf(world, media)).toEqual(['UploadStarted', 'UploadCompleted'])
  })

  test('a file that a worker cannot read', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    await run(world, media, async () => Promise.reject(new UnreadableFile('No.')))
    expect(await world.get(media.id)).toEqual(media)
  })

  test('nothing to say', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    await run(world, media, describerOf({ DESCRIBER: 'off' }))
    expect(await world.get(media.id)).toEqual(media)
  })

  test('an object that is lost', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    for (const key of await world.objects()) await world.storage.delete(key)
    await run(world, media, describerOf())
    expect(await world.get(media.id)).toEqual(media)
  })
})

describe('a file that is deleted', () => {
  test('before it is described is not looked at', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    const event = await readyEvent(world, media)
    await world.remove(media.id)
    const describe = async () => {
      throw new Error('Nobody should ask.')
    }
    await onMediaReady({ ...world.deps, describe }, event)
    expect(await eventsOf(world, media)).toEqual([
      'UploadStarted',
      'UploadCompleted',
      'MediaDeleted',
    ])
  })

  test('while it is described stays deleted', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    await run(world, media, async () => {
      await world.remove(media.id)
      return 'A cat.'
    })
    expect(await eventsOf(world, media)).toEqual([
      'UploadStarted',
      'UploadCompleted',
      'MediaDeleted',
    ])
    expect(await found(world, 'cat')).toEqual([])
  })

  test('with its objects, while it is described, is no failure', async () => {
    await using world = await mediaWorld()
    const media = await uploaded(world)
    const local = describerOf()
    await run(world, media, async (file) => {
      await world.remove(media.id)
      await world.clean()
      return local(file)
    })
    expect(await eventsOf(world, media)).toEqual([
      'UploadStarted',
      'UploadCompleted',
      'MediaDeleted',
    ])
  })
})

test('what the describer was given is gone from this machine, also when it fails', async () => {
  await using world = await mediaWorld()
  const media = await uploaded(world)
  const seen: string[] = []
  const describe: Describer = async (file) => {
    seen.push(await file.path())
    throw new UnreadableFile('No.')
  }
  await run(world, media, describe)
  expect(seen).toHaveLength(1)
  expect(existsSync(seen[0]!)).toBe(false)
})

test('the consumer hears of ready files of all organizations and of nothing else', async () => {
  await using world = await mediaWorld()
  const consumer = consumeReadyMedia({ ...world.deps, describe: describerOf() })
  expect(consumer.filterSubject).toBe('herald.events.v1.media.*.ready')
  const media = await uploaded(world)
  const stored = await loadEvents(world.pool, media.id, world.own)
  const [subject] = stored
    .map(toPublicEvent)
    .filter(Boolean)
    .map((message) => message?.subject)
  expect(subject).toBe(`herald.events.v1.media.${world.own}.ready`)
})
