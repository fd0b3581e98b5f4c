import { expect, test } from 'vitest'
import { linkedinConnector as linkedin } from '../src/linkedin/connector.ts'
import type { LookUpInput } from '../src/platform.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, scriptedServer } from './scripted-server.ts'

const PAGE = 'urn:li:organization:1'
const post = (more: Record<string, unknown> = {}) => ({
  id: 'urn:li:share:19',
  commentary: 'Hello',
  createdAt: Date.now(),
  lifecycleState: 'PUBLISHED',
  ...more,
})
const withImage = (id: string) => ({ content: { media: { id } } })
const step = { uploads: { a: { urn: 'urn:li:image:1', isWhole: true, isReady: true } } }

async function lookUp(elements: unknown[], input: Partial<LookUpInput> = {}, answer: Answer = {}) {
  await using server = await scriptedServer(() => ({ body: { elements }, ...answer }))
  const settings = { apiUrl: server.url, webUrl: 'https://linkedin.example' }
  const outcome = await linkedin.lookUp(aPublishInput({ settings, account: PAGE, ...input }))
  return { outcome, received: server.received }
}

test.each<[string, Record<string, unknown>, Partial<LookUpInput>]>([
  ['its text', {}, {}],
  [
    'its text as LinkedIn writes it',
    { commentary: 'Hi \\(all\\) {hashtag|\\#|now}' },
    { text: 'Hi (all)  #now ' },
  ],
  [
    'its file, whatever the text',
    { commentary: '', ...withImage('urn:li:image:1') },
    { text: '', step },
  ],
  [
    'one of its files',
    { commentary: 'x', content: { multiImage: { images: [{ id: 'urn:li:image:1' }] } } },
    { step },
  ],
])('a post of a page is found by %s', async (_, more, input) => {
  const { outcome, received } = await lookUp(
    [post({ id: 'urn:li:share:20', commentary: 'Other' }), post(more)],
    input,
  )
  expect(outcome).toMatchObject({
    found: {
      platformPostId: 'urn:li:share:19',
      url: 'https://linkedin.example/feed/update/urn:li:share:19/',
    },
  })
  expect(received[0]).toMatchObject({
    method: 'GET',
    path: '/rest/posts',
    query: { q: 'author', author: PAGE, sortBy: 'CREATED' },
  })
  expect(received[0]!.headers['x-restli-method']).toBe('FINDER')
})

test.each<[string, unknown[], Partial<LookUpInput>]>([
  ['there is none', [], {}],
  ['there are others', [post({ commentary: 'Other' })], {}],
  ['its text is older than the call', [post({ createdAt: Date.now() - 60_000 })], {}],
  [
    'others have other files and no text',
    [post({ commentary: '', ...withImage('urn:li:image:2') })],
    { text: '', step },
  ],
])('a post of a page is absent when %s', async (_, posts, input) => {
  expect((await lookUp(posts, input)).outcome).toEqual({ absent: true })
})

test.each<[string, unknown[], Partial<LookUpInput>, Answer?]>([
  ['two have its text', [post(), post({ id: 'urn:li:share:20' })], {}],
  ['one has its text without its file', [post()], { step }],
  ['there were many since', Array.from({ length: 10 }, () => post({ commentary: 'Other' })), {}],
  ['LinkedIn refuses', [], {}, { status: 403 }],
  ['LinkedIn answers nonsense', [], {}, { body: '<html>' }],
])('nobody can tell when %s', async (_, posts, input, answer) => {
  expect((await lookUp(posts, input, answer)).outcome).toHaveProperty('cannotTell')
})

test('a post that LinkedIn has and has not published yet is waited for', async () => {
  const requested = post({ lifecycleState: 'PUBLISH_REQUESTED' })
  expect((await lookUp([requested], {})).outcome).toHaveProperty('pending')
})

test('a post that LinkedIn took and then failed to publish is refused', async () => {
  expect((await lookUp([post({ lifecycleState: 'PUBLISH_FAILED' })])).outcome).toHaveProperty(
    'refused',
  )
})

test('a post of a member cannot be looked up, and LinkedIn is not asked, least of all by sending it again', async () => {
  const { outcome, received } = await lookUp([post()], { account: 'urn:li:person:abc' })
  expect(outcome).toHaveProperty('cannotTell')
  expect(received).toEqual([])
})
