import { given } from '@herald/event-store/given'
import { describe, expect, test } from 'vitest'
import type { MediaEvent, VerifiedFile } from './events.ts'
import { isOver, media, type MediaCommand } from './media.ts'
import { evolve, exists, type MediaState } from './state.ts'

const CREATED = '2026-03-01T12:00:00.000Z'
const EXPIRES = '2026-03-01T12:15:00.000Z'
const BEFORE = '2026-03-01T12:14:59.999Z'

const about = {
  organizationId: 'org_1',
  createdAt: CREATED,
  actor: 'key:1',
  fileName: 'cat.png',
  altText: null,
}
const file: VerifiedFile = {
  type: 'image',
  mimeType: 'image/png',
  sizeBytes: 10,
  width: 1,
  height: 1,
  durationSeconds: null,
  pages: null,
  isAnimated: false,
  sha256: 'a',
  objectKey: 'files/a',
  thumbnailKey: null,
}
const announced = {
  ...about,
  expiresAt: EXPIRES,
  mimeType: 'image/png',
  mediaType: 'image',
  sizeBytes: 10,
  stagingKey: 'uploads/a',
} as const
const started: MediaEvent = { type: 'UploadStarted', ...announced }
const imported: MediaEvent = { type: 'MediaImported', ...about, file }
const completed: MediaEvent = { type: 'UploadCompleted', file }
const failed: MediaEvent = { type: 'UploadFailed' }
const described: MediaEvent = { type: 'MediaDescribed', description: 'A cat.' }
const deleted: MediaEvent = { type: 'MediaDeleted', actor: 'key:1' }

const startUpload: MediaCommand = { type: 'StartUpload', ...announced }
const importMedia: MediaCommand = { type: 'ImportMedia', ...about, file }
const complete = (now = BEFORE, found = file): MediaCommand => ({
  type: 'CompleteUpload',
  file: found,
  now,
})
const expire = (now = EXPIRES): MediaCommand => ({ type: 'ExpireUpload', now })
const describeIt: MediaCommand = { type: 'Describe', description: 'A cat.' }
const deleteIt: MediaCommand = { type: 'DeleteMedia', actor: 'key:1' }

/** Every state by the events that lead to it. */
const STATES = {
  absent: [],
  pending: [started],
  ready: [started, completed],
  imported: [imported],
  described: [imported, described],
  failed: [started, failed],
  removed: [imported, deleted],
} satisfies Record<string, MediaEvent[]>
type StateName = keyof typeof STATES

describe('a command and a state give', () => {
  test.each<[StateName, string, MediaCommand, MediaEvent[] | string]>([
    ['absent', 'StartUpload', startUpload, [started]],
    ['pending', 'StartUpload', startUpload, 'conflict'],
    ['ready', 'StartUpload', startUpload, 'conflict'],
    ['failed', 'StartUpload', startUpload, 'conflict'],
    ['removed', 'StartUpload', startUpload, 'conflict'],
    ['absent', 'ImportMedia', importMedia, [imported]],
    ['imported', 'ImportMedia', importMedia, 'conflict'],
    ['removed', 'ImportMedia', importMedia, 'conflict'],
    ['absent', 'CompleteUpload', complete(), 'not_found'],
    ['pending', 'CompleteUpload', complete(), [completed]],
    ['ready', 'CompleteUpload', complete(), []],
    ['imported', 'CompleteUpload', complete(), []],
    ['failed', 'CompleteUpload', complete(), 'conflict'],
    ['removed', 'CompleteUpload', complete(), 'not_found'],
    ['absent', 'ExpireUpload', expire(), []],
    ['pending', 'ExpireUpload', expire(), [failed]],
    ['ready', 'ExpireUpload', expire(), []],
    ['imported', 'ExpireUpload', expire(), []],
    ['failed', 'ExpireUpload', expire(), []],
    ['removed', 'ExpireUpload', expire(), []],
    ['absent', 'Describe', describeIt, []],
    ['pending', 'Describe', describeIt, []],
    ['ready', 'Describe', describeIt, [described]],
    ['imported', 'Describe', describeIt, [described]],
    ['described', 'Describe', describeIt, []],
    ['failed', 'Describe', describeIt, []],
    ['removed', 'Describe', describeIt, []],
    ['absent', 'DeleteMedia', deleteIt, 'not_found'],
    ['pending', 'DeleteMedia', deleteIt, [deleted]],
    ['ready', 'DeleteMedia', deleteIt, [deleted]],
    ['described', 'DeleteMedia', deleteIt, [deleted]],
    ['failed', 'DeleteMedia', deleteIt, [deleted]],
    ['removed', 'DeleteMedia', deleteIt, 'not_found'],
  ])('%s, %s: the answer of the table', (state, _name, command, expected) => {
    const decided = given(media, ...STATES[state]).when(command)
    if (typeof expected === 'string') expect(decided).toMatchObject({ code: expected })
    else expect(decided).toEqual(expected)
  })
})

describe('an upload', () => {
  test('can be completed until its window is over, and not a moment later', () => {
    const upload = given(media, started)
    expect(upload.when(complete(BEFORE))).toEqual([completed])
    expect(upload.when(complete(EXPIRES))).toMatchObject({ code: 'conflict', status: 409 })
    expect(upload.when(expire(BEFORE))).toEqual([])
    expect(isOver({ status: 'absent' }, EXPIRES)).toBe(false)
  })

  test.each([
    ['image', 'gif', true],
    ['gif', 'image', true],
    ['image', 'video', false],
    ['video', 'image', false],
    ['document', 'video', false],
    ['video', 'document', false],
  ] as const)(
    '236: announced as %s and found to be %s is accepted: %s',
    (mediaType, type, isFine) => {
      const found = { ...file, type }
      const decided = given(media, { ...started, mediaType }).when(complete(BEFORE, found))
      if (isFine) expect(decided).toEqual([{ type: 'UploadCompleted', file: found }])
      else expect(decided).toMatchObject({ code: 'validation_failed', status: 422 })
    },
  )
})

describe('the state', () => {
  const stateOf = (events: MediaEvent[]): MediaState => events.reduce(evolve, media.initial)

  test.each<[StateName, string]>([
    ['absent', 'absent'],
    ['pending', 'pending'],
    ['ready', 'ready'],
    ['imported', 'ready'],
    ['described', 'ready'],
    ['failed', 'failed'],
    ['removed', 'removed'],
  ])('after the events of %s is %s', (name, status) => {
    const state = stateOf(STATES[name])
    expect(state.status).toBe(status)
    expect(exists(state)).toBe(!['absent', 'removed'].includes(status))
  })

  test('of a completed upload is what was found, not what was announced', () => {
    const found = { ...file, type: 'gif', mimeType: 'image/gif', sizeBytes: 7 } as const
    expect(stateOf([started, { type: 'UploadCompleted', file: found }])).toEqual({
      status: 'ready',
      organizationId: 'org_1',
      createdAt: CREATED,
      fileName: 'cat.png',
      altText: null,
      stagingKey: 'uploads/a',
      description: null,
      file: found,
    })
  })

  test.each<[StateName, MediaEvent]>([
    ['ready', failed],
    ['ready', completed],
    ['failed', completed],
    ['pending', described],
    ['failed', described],
  ])('%s is not changed by an event that does not fit it', (name, event) => {
    const state = stateOf(STATES[name])
    expect(evolve(state, event)).toBe(state)
  })
})
