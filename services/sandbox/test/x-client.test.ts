import { Agent } from 'node:http'
import { connect } from 'node:net'
import { TwitterApi } from 'twitter-api-v2'
import { expect, test } from 'vitest'
import { APP } from '../src/oauth/provider.ts'
import { pressButton } from './follow-oauth.ts'
import { mp4, png } from './media-bytes.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'
import { xUser } from './x.ts'

/** The client library knows X at its own address alone; this leads each of its calls to the sandbox instead. */
function agentTo(sandbox: TestSandbox): Agent {
  const { hostname: host, port } = new URL(sandbox.url)
  const agent = new Agent()
  const addRequest: unknown = Reflect.get(agent, 'addRequest')
  if (typeof addRequest !== 'function') throw new Error('An agent has no addRequest.')
  return Object.assign(agent, {
    protocol: 'https:',
    createConnection: () => connect({ host, port: Number(port) }),
    addRequest: (request: { path: string }, ...rest: unknown[]) => {
      request.path = `/x${request.path}`
      Reflect.apply(addRequest, agent, [request, ...rest])
    },
  })
}

function client(sandbox: TestSandbox, token: string) {
  return new TwitterApi(token, { httpAgent: agentTo(sandbox) }).v2
}

test('the client library twitter-api-v2 posts a picture with an alt text, and reads it back', async () => {
  await using sandbox = await testSandbox()
  const { account, token } = await xUser(sandbox, 'ada')
  const v2 = client(sandbox, token)
  expect((await v2.me()).data).toEqual({ id: account, name: 'ada', username: 'ada' })
  const id = await v2.uploadMedia(png(8, 6), { media_type: 'image/png' as never })
  await v2.createMediaMetadata(id, { alt_text: { text: 'A picture' } } as never)
  const { data } = await v2.tweet('From the library', { media: { media_ids: [id] } })
  const timeline = await v2.userTimeline(account, { 'tweet.fields': ['created_at', 'attachments'] })
  expect(timeline.tweets).toMatchObject([
    {
      id: data.id,
      created_at: '2026-11-21T12:00:00.000Z',
      attachments: { media_keys: [`3_${id}`] },
    },
  ])
  expect(timeline.rateLimit).toMatchObject({ limit: 900, remaining: 899 })
  expect(await sandbox.live()).toMatchObject([
    { text: 'From the library', media: [{ width: 8, altText: 'A picture' }] },
  ])
})

test('the client library waits for a video in real time', async () => {
  await using sandbox = await testSandbox()
  const { token } = await xUser(sandbox)
  const v2 = client(sandbox, token)
  const bytes = mp4({ length: 1024 * 1024 + 3 })
  const uploading = v2.uploadMedia(bytes, { media_type: 'video/mp4' as never })
  const moving = setInterval(() => void sandbox.advance(1), 100)
  const id = await uploading.finally(() => clearInterval(moving))
  await v2.tweet('A video', { media: { media_ids: [id] } })
  expect(await sandbox.live()).toMatchObject([{ media: [{ sizeBytes: bytes.length }] }])
})

test('the client library understands refusals and limits', async () => {
  await using sandbox = await testSandbox()
  const { token } = await xUser(sandbox)
  const v2 = client(sandbox, token)
  await v2.tweet('Once')
  await expect(v2.tweet('Once')).rejects.toMatchObject({
    code: 403,
    data: { detail: 'You are not allowed to create a Tweet with duplicate content.' },
  })
  await sandbox.fault({ platform: 'X', kind: 'rate_limit', times: 1 })
  await expect(v2.tweet('Twice')).rejects.toMatchObject({ code: 429, rateLimitError: true })
})

test('the client library is let in by the pages, and renews its access', async () => {
  await using sandbox = await testSandbox()
  const { account } = await xUser(sandbox)
  const credentials = { clientId: APP.id, clientSecret: APP.secret }
  const app = new TwitterApi(credentials, { httpAgent: agentTo(sandbox) })
  const callback = 'https://herald.example/callback'
  const scope = ['tweet.read', 'tweet.write', 'users.read', 'offline.access']
  const link = app.generateOAuth2AuthLink(callback, { scope: scope as never })
  // The library writes the name of the method in its own way.
  const url = link.url.replace(/^https:\/\/[^/]+/, `${sandbox.url}/x`).replace('s256', 'S256')
  const { code = '', state } = await pressButton(sandbox, url, account)
  expect(state).toBe(link.state)
  const grant = { code, codeVerifier: link.codeVerifier, redirectUri: callback }
  const { accessToken, refreshToken = '', expiresIn } = await app.loginWithOAuth2(grant)
  expect(expiresIn).toBe(7200)
  expect((await client(sandbox, accessToken).me()).data.id).toBe(account)
  const renewed = await app.refreshOAuth2Token(refreshToken)
  expect(renewed.refreshToken).not.toBe(refreshToken)
  await expect(app.refreshOAuth2Token(refreshToken)).rejects.toMatchObject({ code: 400 })
})
