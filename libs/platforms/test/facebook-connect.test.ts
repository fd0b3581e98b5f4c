import { describe, expect, test } from 'vitest'
import { facebookConnector as facebook } from '../src/facebook/connector.ts'
import { calls, graphRefusal, graphServer } from './graph-server.ts'
import type { Answer } from './scripted-server.ts'

function grantFor(url: string) {
  return {
    baseUrl: '',
    settings: {
      authorizeUrl: 'https://www.facebook.com/v25.0/dialog/oauth',
      tokenUrl: `${url}/v25.0/oauth/access_token`,
      apiUrl: url,
      apiVersion: 'v25.0',
      clientId: 'app-1',
      clientSecret: 'secret-1',
    },
    redirectUri: 'https://herald.example/connect/callback/facebook',
    now: Date.UTC(2026, 10, 21),
  }
}

const page = (id: string, more: object = {}) => ({
  id,
  name: `Page ${id}`,
  access_token: `page-${id}`,
  ...more,
})
const TOKENS = [{ body: { access_token: 'short-1' } }, { body: { access_token: 'long-1' } }]

async function finish(answers: Record<string, Answer | Answer[]>) {
  await using server = await graphServer({ 'GET /v25.0/oauth/access_token': TOKENS, ...answers })
  const identities = await facebook
    .oauth!.finish({ ...grantFor(server.url), kept: {}, query: { code: 'c' } })
    .catch((error: unknown) => error)
  return { identities, received: server.received }
}

describe('access to Facebook', () => {
  test('is asked for with the app, the permissions and the state', async () => {
    const { url } = await facebook.oauth!.begin({ ...grantFor('http://a'), state: 's1' })
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: 'app-1',
      redirect_uri: 'https://herald.example/connect/callback/facebook',
      response_type: 'code',
      scope: 'pages_show_list,pages_manage_posts,pages_read_engagement',
      state: 's1',
    })
  })

  test('is given for all Pages, which are asked for until there are no more', async () => {
    const { identities, received } = await finish({
      'GET /v25.0/me/accounts': [
        {
          body: {
            data: [
              page('1', { username: 'ada', picture: { data: { url: 'https://a.example/1' } } }),
            ],
            paging: { cursors: { after: 'A1' }, next: 'https://elsewhere.example' },
          },
        },
        {
          body: {
            data: [page('2', { tasks: ['ANALYZE'] }), page('3', { tasks: ['CREATE_CONTENT'] })],
          },
        },
      ],
    })
    expect(identities).toMatchObject([
      {
        account: '1',
        username: 'ada',
        name: 'Page 1',
        avatarUrl: 'https://a.example/1',
        secrets: { accessToken: 'page-1' },
        expiresAt: null,
      },
      { account: '3', username: '3', secrets: { accessToken: 'page-3' } },
    ])
    expect(received[0]!.query).toMatchObject({ code: 'c', client_secret: 'secret-1' })
    expect(received[1]!.query).toMatchObject({
      grant_type: 'fb_exchange_token',
      fb_exchange_token: 'short-1',
    })
    expect(received[2]!.headers['authorization']).toBe('Bearer long-1')
    expect(received[3]!.query).toMatchObject({ after: 'A1' })
  })

  test.each<[string, Record<string, Answer>, string]>([
    ['a person without Pages', { 'GET /v25.0/me/accounts': { body: { data: [] } } }, 'refused'],
    ['a person who withheld them', { 'GET /v25.0/me/accounts': graphRefusal(200) }, 'refused'],
    [
      'a platform that is broken',
      { 'GET /v25.0/me/accounts': { status: 500, body: '' } },
      'unavailable',
    ],
    [
      'a code that is not good',
      { 'GET /v25.0/oauth/access_token': graphRefusal(100, 36009) },
      'refused',
    ],
  ])('is not given for %s', async (_, answers, kind) => {
    const { identities } = await finish(answers)
    expect(identities).toMatchObject({ name: 'ConnectError', kind })
  })
})

test.each<[string, Answer, object]>([
  ['is used as long as it is alive', { body: { id: '1' } }, { token: 'page-1', expiresAt: null }],
  ['is dead when Facebook says so', graphRefusal(190, 460), { kind: 'refused' }],
  ['is neither when Facebook is broken', { status: 500, body: '' }, { kind: 'unavailable' }],
])('a token that was refused %s', async (_, answer, expected) => {
  await using server = await graphServer({ 'GET /v25.0/me': answer })
  const { baseUrl, settings, now } = grantFor(server.url)
  const secrets = { accessToken: 'page-1' }
  const token = await facebook
    .freshToken({ baseUrl, settings, secrets, now, deadToken: 'page-1' })
    .catch((error: unknown) => error)
  expect(token).toMatchObject(expected)
  expect(calls(server.received)).toEqual(['GET /v25.0/me'])
})
