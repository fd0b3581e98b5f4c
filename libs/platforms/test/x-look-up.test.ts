import { expect, test } from 'vitest'
import { xConnector as x } from '../src/x/connector.ts'
import type { LookUpInput } from '../src/platform.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, scriptedServer } from './scripted-server.ts'

const at = () => new Date().toISOString()
const post = (more: Record<string, unknown> = {}) => ({
  id: '19',
  text: 'Hello',
  created_at: at(),
  ...more,
})
const old = { created_at: new Date(Date.now() - 60_000).toISOString() }
const link = (url: string, to: string, more = {}) => ({ url, expanded_url: to, ...more })

async function lookUp(posts: unknown[], input: Partial<LookUpInput> = {}, answer: Answer = {}) {
  const body = { ...(posts.length > 0 && { data: posts }), meta: { result_count: posts.length } }
  await using server = await scriptedServer(() => ({ body, ...answer }))
  const settings = { apiUrl: server.url, webUrl: 'https://x.example' }
  return await x.lookUp(aPublishInput({ settings, ...input }))
}

const found = {
  found: {
    platformPostId: '19',
    url: 'https://x.example/ada/status/19',
    publishedAt: expect.any(String),
  },
}
const upload = {
  id: '7',
  key: '3_7',
  sizeBytes: 1,
  sentBytes: 1,
  isWhole: true,
  isReady: true,
  isDescribed: false,
}
const step = { uploads: { med_1: upload } }
const ownFile = { attachments: { media_keys: ['3_7'] } }

test.each<[string, Record<string, unknown>, Partial<LookUpInput>]>([
  ['with its text', {}, {}],
  ['with HTML entities', { text: 'a &amp;&lt; b &gt;' }, { text: 'a &< b >' }],
  ['composed otherwise', { text: 'café' }, { text: 'cafe\u0301 ' }],
  [
    'with a link that X has shortened',
    {
      text: 'See https://t.co/abc now',
      entities: { urls: [link('https://t.co/abc', 'http://example.com')] },
    },
    { text: 'See example.com now' },
  ],
  [
    'with its file, whatever the text',
    { text: 'https://t.co/abc', ...ownFile },
    { text: '', step },
  ],
  [
    'longer than what X shows at first',
    { text: 'Hello…', note_tweet: { text: 'Hello, everyone' } },
    { text: 'Hello, everyone' },
  ],
])('a post is found %s', async (_, answered, input) => {
  expect(await lookUp([post({ id: '20', text: 'Other' }), post(answered)], input)).toMatchObject(
    found,
  )
})

test.each<[string, unknown[], Partial<LookUpInput>]>([
  ['there is none', [], {}],
  ['there are others', [post({ text: 'Other' })], {}],
  ['the same text is older than the call', [post(old)], {}],
  [
    'only its files would tell, and others have other files',
    [post({ text: '', attachments: { media_keys: ['3_8'] } })],
    { text: '', step },
  ],
])('a post is absent when %s', async (_, posts, input) => {
  expect(await lookUp(posts, input)).toEqual({ absent: true })
})

test.each<[string, unknown[], Partial<LookUpInput>, Answer?]>([
  ['two posts have its text', [post(), post({ id: '20' })], {}],
  [
    'one has its words with another link',
    [
      post({
        text: 'See https://t.co/a',
        entities: { urls: [link('https://t.co/a', 'https://example.com/1')] },
      }),
    ],
    { text: 'See https://example.com/2' },
  ],
  ['one has its text without its file', [post()], { step }],
  [
    'there were many since',
    Array.from({ length: 10 }, (_, index) => post({ id: String(index), text: 'Other' })),
    {},
  ],
  ['X does not take the token', [], {}, { status: 401 }],
  ['X answers nonsense', [], {}, { body: '<html>' }],
  ['X fails', [], {}, { status: 503 }],
])('nobody can tell when %s', async (_, posts, input, answer) => {
  expect(await lookUp(posts, input, answer)).toHaveProperty('cannotTell')
})

test('the time of a post is compared by the clock of X', async () => {
  const date = new Date(Date.now() - 3_600_000)
  const early = post({ created_at: date.toISOString() })
  const answer = { headers: { date: date.toUTCString() } }
  expect(await lookUp([early], {}, answer)).toMatchObject(found)
})
