import { CloudEvent } from '@herald/contracts/events'
import { newId } from '@herald/contracts/ids'
import { MEDIA_EVENT_ACTIONS, MEDIA_EVENT_DATA, type MediaEventType } from '@herald/contracts/media'
import { handle, loadEvents } from '@herald/event-store/handle'
import type { StoredEvent } from '@herald/event-store/stream-type'
import { expect, test } from 'vitest'
import { mediaStream } from '../src/media-stream.ts'
import { toPublicEvent } from '../src/public-events.ts'
import { png } from './pictures.ts'
import { letPass, mediaWorld, origin, uploaded, type World } from './world.ts'

const CANARY = 'canary-5519'

/** Every event that a file can have, as the service itself stores them. */
async function everyEvent(world: World): Promise<StoredEvent[]> {
  await using server = await origin((_request, response) => void response.end(png()))
  const words = { fileName: `${CANARY}.png`, altText: `${CANARY} alt` }
  const failed = await world.announce(words)
  await letPass(world, '1 hour')
  world.clock.offsetMs = 3_600_000
  await world.sweep()
  world.clock.offsetMs = 0
  const ready = await uploaded(world, undefined, words)
  const imported = await world.import({ url: `${server.url}/${CANARY}`, ...words })
  await handle(
    world.deps.store,
    mediaStream,
    ready.id,
    { type: 'Describe', description: `${CANARY} description` },
    { organizationId: world.own, meta: { actor: 'describer' } },
  )
  await world.remove(ready.id)
  const ids = [failed.media.id, ready.id, imported.id]
  const loaded = await Promise.all(ids.map((id) => loadEvents(world.pool, id, world.own)))
  return loaded.flat()
}

test('every public event of a file is as its contract says, and never holds its name or a text about it', async () => {
  await using world = await mediaWorld()
  const stored = await everyEvent(world)
  expect(new Set(stored.map(({ type }) => type))).toEqual(
    new Set([
      'UploadStarted',
      'UploadFailed',
      'UploadCompleted',
      'MediaImported',
      'MediaDescribed',
      'MediaDeleted',
    ]),
  )
  expect(JSON.stringify(stored)).toContain(CANARY)
  const told = new Set<string>()
  for (const event of stored) {
    const message = toPublicEvent(event)
    if (event.type === 'UploadStarted') {
      expect(message).toBeUndefined()
      continue
    }
    expect(JSON.stringify(message)).not.toContain(CANARY)
    expect(String(message?.body)).not.toMatch(/files\/|thumbnails\/|uploads\/|sha256|Key/)
    const envelope = CloudEvent.parse(JSON.parse(String(message?.body)))
    const type = envelope.type as MediaEventType
    told.add(type)
    const schema = MEDIA_EVENT_DATA[type]
    expect(schema.strict().parse(envelope.data)).toEqual(envelope.data)
    expect(envelope).toMatchObject({
      id: event.event_id,
      source: '/herald/media',
      subject: event.stream_id,
      organizationid: world.own,
      sequence: event.version,
      data: { mediaId: event.stream_id },
    })
    expect(message?.subject).toBe(
      `herald.events.v1.media.${world.own}.${MEDIA_EVENT_ACTIONS[type]}`,
    )
    expect(message?.id).toBe(event.event_id)
  }
  expect(told).toEqual(new Set(Object.keys(MEDIA_EVENT_DATA)))
})

test('of a file that is ready, its size and dimensions are told, and MediaDescribed tells only that it is described', async () => {
  await using world = await mediaWorld()
  const stored = await everyEvent(world)
  const dataOf = (type: string) => {
    const event = stored.find((one) => one.type === type)!
    return CloudEvent.parse(JSON.parse(String(toPublicEvent(event)?.body))).data
  }
  const facts = {
    type: 'image',
    mimeType: 'image/png',
    sizeBytes: png().length,
    width: 4,
    height: 3,
    durationSeconds: null,
  }
  expect(dataOf('UploadCompleted')).toEqual({ mediaId: expect.any(String), ...facts })
  expect(dataOf('MediaImported')).toEqual({ mediaId: expect.any(String), ...facts })
  expect(Object.keys(dataOf('MediaDescribed'))).toEqual(['mediaId'])
  expect(Object.keys(dataOf('UploadFailed'))).toEqual(['mediaId'])
  expect(Object.keys(dataOf('MediaDeleted'))).toEqual(['mediaId'])
})

test('an event of a type that nobody knows stays inside', () => {
  const stored = {
    stream_id: newId('media'),
    version: 1,
    event_id: newId('event'),
    organization_id: newId('organization'),
    type: 'MediaRenamed',
    schema_version: 1,
    data: { fileName: CANARY },
    meta: {},
    at: new Date().toISOString(),
  }
  expect(toPublicEvent(stored)).toBeUndefined()
})
