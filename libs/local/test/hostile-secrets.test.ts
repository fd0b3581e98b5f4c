import { createHash, randomBytes } from 'node:crypto'
import type { MediaUpload } from '@herald/contracts/media'
import { eventually } from '@herald/testing/eventually'
import { expect, test } from 'vitest'
import { grantAccess } from './browser.ts'
import { captureOutput } from './captured-output.ts'
import { askApi, type Send } from './hostile-world.ts'
import { publishedEvents } from './published-events.ts'
import { SMALL_PICTURE, uploadPicture } from './small-picture.ts'
import { storedEvents } from './stored-events.ts'
import { type TestChannel, testWorld, type World } from './world.ts'

const KEYS = {
  API_KEY_PEPPER: randomBytes(32).toString('base64'),
  CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  RPC_SECRET: randomBytes(32).toString('base64'),
  STORAGE_SIGNING_KEY: randomBytes(32).toString('base64'),
}

/** Answers of refusals, by what is wrong. A secret that somebody sends is not sent back either. */
async function refusals(world: World, upload: MediaUpload['upload']): Promise<string[]> {
  const asks: [string, string, Send?][] = [
    ['GET', '/me', { key: `${world.apiKey}x` }],
    ['GET', `/posts?cursor=${world.apiKey}`],
    ['GET', `/posts/${world.apiKey}`],
    ['GET', `/nothing?api_key=${world.apiKey}`],
    ['POST', '/posts', { body: { content: world.apiKey } }],
    ['POST', '/posts', { body: `{"content":"${world.apiKey}` }],
    [
      'POST',
      '/posts',
      { body: { content: world.apiKey }, headers: { 'content-encoding': 'gzip' } },
    ],
    ['POST', '/media/import', { body: { url: `http://user:${world.apiKey}@127.0.0.1:1/a.png` } }],
    ['POST', '/media/import', { body: { url: `http://127.0.0.1:1/a.png?token=${world.apiKey}` } }],
  ]
  const answers = await Promise.all(
    asks.map(([method, path, send]) => askApi(world, method, path, send)),
  )
  for (const { status } of answers) expect(status).toBeGreaterThanOrEqual(400)
  const put = await fetch(upload.url, { method: 'PUT', body: 'not what was announced' })
  expect(put.ok).toBe(false)
  return [...answers.map(({ text }) => text), await put.text()]
}

/** Publishes with a file on both platforms, with a token that is dead and a call that is cut off on the way. */
async function publish(world: World): Promise<void> {
  const { id } = await uploadPicture(world)
  const fail = ({ platform, account }: TestChannel, kind: string) =>
    world.sandbox.fault({ platform, account, kind, times: 1 })
  await fail(world.mastodon, 'auth_expired')
  await fail(world.bluesky, 'drop_after')
  const channelIds = [world.mastodon.id, world.bluesky.id]
  const post = await world.create({ content: 'Nothing secret', channelIds, mediaIds: [id] })
  await eventually(
    async () => expect(['published', 'failed']).toContain((await world.get(post.id)).status),
    { timeoutMs: 45_000 },
  )
  const planned = await world.create({
    content: 'Never sent',
    channelIds,
    publishAt: new Date(Date.now() + 3_600_000).toISOString(),
  })
  await askApi(world, 'PATCH', `/posts/${planned.id}`, { body: { content: 'Changed' } })
  await askApi(world, 'DELETE', `/posts/${planned.id}`)
}

test('no secret is in any log, event, answer or output, whatever happens to a post', async () => {
  using output = captureOutput()
  await using world = await testWorld({ env: { ...KEYS, LOG_LEVEL: 'trace' } })
  using events = await storedEvents(world)
  const credentials = await connectMore(world)
  const body = { fileName: 'a.png', mimeType: 'image/png', fileSize: SMALL_PICTURE.length }
  const announced = await askApi(world, 'POST', '/media/uploads', { body })
  const { upload } = JSON.parse(announced.text) as MediaUpload
  const answers = await refusals(world, upload)
  const granted = await grantInBrowser(world)
  answers.push(...granted.pages)
  await publish(world)
  const secrets: Record<string, string> = {
    ...KEYS,
    'the API key': world.apiKey,
    'the digest of the API key': createHash('sha256').update(world.apiKey).digest('hex'),
    'the password of the database': new URL(world.databaseUrls.posts).password,
    ...Object.fromEntries(
      uploadSecrets(upload).map((value, i) => [`upload signature ${i}`, value]),
    ),
    ...Object.fromEntries(credentials.map((value, i) => [`credential ${i}`, value])),
    ...granted.secrets,
    ...(await tokens(world)),
  }
  const told = await eventually(async () => {
    const stream = (await publishedEvents(world)).join('\n')
    expect(stream).toContain('published')
    return { stream, log: output.text(), stored: await events.text(), answers: answers.join('\n') }
  })
  expect(output.lines().length).toBeGreaterThan(20)
  const found = Object.entries(secrets)
    .filter(([, secret]) => secret.length > 0)
    .flatMap(([name, secret]) =>
      Object.entries(told)
        .filter(([, text]) => text.includes(secret))
        .map(([place]) => `${name} is in the ${place}`),
    )
  expect(found).toEqual([])
}, 120_000)

/** Connects one account more of each platform; gives what lets anybody post as them. */
async function connectMore(world: World): Promise<string[]> {
  const found: string[] = []
  for (const platform of ['MASTODON', 'BLUESKY'] as const) {
    const { baseUrl, credentials } = await world.sandbox.createAccount(platform)
    const { organizationId } = world
    await world.channels.connect({ organizationId, platform, baseUrl, credentials })
    // Names of accounts are not secret.
    const { identifier: _name, username: _user, ...secret } = credentials
    found.push(...Object.values(secret))
  }
  return found
}

/** Grants access in a browser, shows the used address again, and disconnects. Codes and states are in no page. */
async function grantInBrowser({ channels, sandbox, organizationId, apiUrl }: World) {
  const { account } = await sandbox.createAccount('MASTODON', 'granted')
  const { url } = await channels.beginConnect({
    organizationId,
    platform: 'MASTODON',
    baseUrl: `${sandbox.url}/mastodon`,
    redirectUri: `${apiUrl}/connect/callback/mastodon`,
  })
  const way = await grantAccess(url, account)
  const pages = [await (await fetch(way)).text(), await (await fetch(way)).text()]
  expect(pages).toEqual([
    expect.stringContaining('is connected'),
    expect.stringContaining('not valid any more'),
  ])
  const { data } = await channels.list({ organizationId, channels: 'all' })
  const channelId = data.find(({ username }) => username === 'granted')?.id ?? ''
  const { token } = await channels.access({ organizationId, channelId })
  await channels.disconnect({ organizationId, channelId })
  const { searchParams } = new URL(way)
  const secrets = {
    'the state of a grant': searchParams.get('state') ?? '',
    'the code of a grant': searchParams.get('code') ?? '',
    'the granted token': token,
  }
  for (const secret of Object.values(secrets)) expect(secret).toMatch(/^.{20,}$/)
  return { pages, secrets }
}

/** The tokens that publishers hold right now. */
async function tokens({ channels, organizationId, ...world }: World) {
  const tokenOf = async ({ id, platform }: TestChannel) => {
    const { token } = await channels.access({ organizationId, channelId: id })
    return [`the token of ${platform}`, token]
  }
  return Object.fromEntries(await Promise.all([world.mastodon, world.bluesky].map(tokenOf)))
}

/** What makes the address of an upload good: its long parameters. */
function uploadSecrets({ url }: MediaUpload['upload']): string[] {
  return [...new URL(url).searchParams.values()].filter((value) => value.length >= 32)
}
