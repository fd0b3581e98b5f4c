import { describe, expect, test } from 'vitest'
import { mastodonConnector as mastodon } from '../src/mastodon/connector.ts'
import type { LookUpInput } from '../src/platform.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort, scriptedServer } from './scripted-server.ts'

const CALLED = Date.UTC(2026, 10, 21, 9, 30)
const at = (seconds: number) => new Date(CALLED + seconds * 1000).toISOString()

function status(id: string, seconds: number, content: string, spoiler_text = '') {
  const url = `https://mastodon.example/@ada/${id}`
  return { id, url, created_at: at(seconds), content, spoiler_text }
}

/** Looks up a call made at 09:30 on an instance whose clock is right. */
async function lookUp(answer: Answer, overrides: Partial<LookUpInput> = {}) {
  const headers = { date: new Date(Date.now()).toUTCString(), ...answer.headers }
  await using server = await scriptedServer(() => ({ ...answer, headers }))
  const input = { baseUrl: server.url, calledAt: at(0), text: 'Hello there', ...overrides }
  return await mastodon.lookUp(aPublishInput(input))
}

const OURS = status('7', 1, '<p>Hello there</p>')
const FOUND = {
  found: { platformPostId: '7', url: 'https://mastodon.example/@ada/7', publishedAt: at(1) },
}
const OPEN = { cannotTell: expect.any(String) }

describe('looking for a post on Mastodon', () => {
  test("reads the account's latest posts with its token", async () => {
    await using server = await scriptedServer(() => ({ body: [] }))
    await mastodon.lookUp(aPublishInput({ baseUrl: server.url, account: '10/9' }))
    expect(server.received).toMatchObject([
      {
        method: 'GET',
        path: '/api/v1/accounts/10%2F9/statuses',
        query: { limit: '20', exclude_replies: 'true' },
        headers: { authorization: 'Bearer token-1' },
      },
    ])
  })

  test.each([
    ['a post with the text', [OURS]],
    ['it among others', [status('9', 5, '<p>Other</p>'), OURS, status('1', -90, '<p>Old</p>')]],
    ['it beside an older one with the same text', [OURS, status('1', -60, '<p>Hello there</p>')]],
  ])('finds %s', async (_, body) => {
    expect(await lookUp({ body })).toEqual(FOUND)
  })

  test('finds a text with links, mentions and line breaks as Mastodon shows them', async () => {
    const text = 'Hi @bob@other.example,\n\nsee https://example.com/a/long/path?x=1&y=2 <3 #tag'
    const content =
      '<p>Hi <span class="h-card"><a href="https://other.example/@bob" class="u-url mention">@<span>bob</span></a></span>,</p>' +
      '<p>see <a href="https://example.com/a/long/path?x=1&amp;y=2"><span class="invisible">https://</span><span class="ellipsis">example.com/a/long</span><span class="invisible">/path?x=1&amp;y=2</span></a>' +
      ' &lt;3 <a href="https://m.example/tags/tag" class="mention hashtag">#<span>tag</span></a></p>'
    expect(await lookUp({ body: [status('7', 1, content)] }, { text })).toEqual(FOUND)
  })

  test('allows for clocks that are a few seconds apart', async () => {
    expect(await lookUp({ body: [status('7', -4, '<p>Hello there</p>')] })).toHaveProperty('found')
    expect(await lookUp({ body: [status('7', -8, '<p>Hello there</p>')] })).toEqual({
      absent: true,
    })
  })

  test('allows for an instance whose clock is an hour behind', async () => {
    const date = new Date(Date.now() - 3_600_000).toUTCString()
    const body = [status('7', 1 - 3600, '<p>Hello there</p>')]
    expect(await lookUp({ headers: { date }, body })).toHaveProperty('found')
    expect(await lookUp({ body })).toEqual({ absent: true })
  })

  test('minds the content warning', async () => {
    const options = { spoilerText: 'cw' }
    const withWarning = status('7', 1, '<p>Hello there</p>', 'cw')
    expect(await lookUp({ body: [withWarning] }, { options })).toEqual(FOUND)
    expect(await lookUp({ body: [OURS] }, { options })).toEqual({ absent: true })
    expect(await lookUp({ body: [withWarning] })).toEqual({ absent: true })
  })

  test.each([
    ['there are none', []],
    ['only others are there', [status('9', 5, '<p>Hello there again</p>')]],
    ['the same text is older than the call', [status('1', -60, '<p>Hello there</p>')]],
  ])('says that it is not there when %s', async (_, body) => {
    expect(await lookUp({ body })).toEqual({ absent: true })
  })

  describe('with files', () => {
    const step = {
      uploads: { med_1: { id: '11', isProcessed: true }, med_2: { id: '12', isProcessed: true } },
    }
    const withFiles = (post: object, ...ids: string[]) => ({
      ...post,
      media_attachments: ids.map((id) => ({ id, type: 'image' })),
    })
    const BARE = status('7', 1, '')

    test.each<[string, string, object[], object]>([
      ['finds it by its files', 'Hello there', [withFiles(OURS, '11', '12')], FOUND],
      ['finds it without a text', '', [withFiles(BARE, '11', '12')], FOUND],
      [
        'finds it by its files among posts with the same text',
        'Hello there',
        [withFiles(status('9', 2, '<p>Hello there</p>'), '8', '9'), withFiles(OURS, '11', '12')],
        FOUND,
      ],
      [
        'finds it although its text was changed since',
        'Hello there',
        [withFiles(status('7', 1, '<p>Other</p>'), '11', '12')],
        FOUND,
      ],
      [
        'finds it by text and number where the instance renames files',
        'Hello there',
        [withFiles(OURS, 'a', 'b')],
        FOUND,
      ],
      ['cannot tell when the number differs', 'Hello there', [withFiles(OURS, '8')], OPEN],
      ['cannot tell when the same text is without files', 'Hello there', [OURS], OPEN],
      ['cannot tell other files without a text', '', [withFiles(BARE, 'a', 'b')], OPEN],
      ['minds no other number without a text', '', [withFiles(BARE, 'a')], { absent: true }],
      ['minds no other text', 'Hello there', [withFiles(BARE, 'a', 'b')], { absent: true }],
    ])('%s', async (_, text, body, expected) => {
      expect(await lookUp({ body }, { text, step })).toEqual(expected)
    })

    test('a text is not taken for the same text with files', async () => {
      expect(await lookUp({ body: [withFiles(OURS, '11')] })).toEqual(OPEN)
    })
  })

  test.each<[string, Answer]>([
    ['two posts have the text', { body: [OURS, status('8', 2, '<p>Hello there</p>')] }],
    ['a post has almost the text', { body: [status('7', 1, '<p><b>Hello</b> there!</p>')] }],
    [
      'the list does not reach back to the call',
      { body: Array.from({ length: 20 }, (_, index) => status(`${index}`, 9, `<p>${index}</p>`)) },
    ],
    ['the token is dead', { status: 401, body: { error: 'The access token is invalid' } }],
    ['the instance fails', { status: 500, body: '' }],
    ['the answer is unreadable', { body: '<html>' }],
    ['the answer is no list', { body: { error: 'x' } }],
  ])('cannot tell when %s', async (_, answer) => {
    expect(await lookUp(answer)).toEqual(OPEN)
  })

  test('cannot tell when nobody listens', async () => {
    const baseUrl = await closedPort()
    expect(await mastodon.lookUp(aPublishInput({ baseUrl }))).toEqual(OPEN)
  })
})
