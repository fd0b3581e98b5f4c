import { AtpAgent, RichText } from '@atproto/api'
import { createRestAPIClient } from 'masto'
import { expect, test } from 'vitest'
import { png } from './media-bytes.ts'
import { testSandbox } from './sandbox.ts'

test('the client library masto posts an image and is stopped at the limit', async () => {
  await using sandbox = await testSandbox()
  const { account, baseUrl, credentials } = await sandbox.account('MASTODON')
  const rest = createRestAPIClient({ url: withoutPath(baseUrl), ...credentials })
  // The library knows instances at the root of a host alone.
  await using _ = pathPrefix(sandbox.url, '/mastodon')
  expect((await rest.v1.accounts.verifyCredentials()).id).toBe(account)
  expect((await rest.v2.instance.fetch()).configuration.statuses.maxCharacters).toBe(500)
  const media = await rest.v2.media.create({
    file: new Blob([Buffer.from(png(8, 6))]),
    description: 'A picture',
  })
  const status = await rest.v1.statuses.create({ status: 'From masto', mediaIds: [media.id] })
  expect(status.mediaAttachments[0]?.meta?.original?.width).toBe(8)
  expect((await rest.v1.statuses.$select(status.id).fetch()).id).toBe(status.id)
  const listed = await rest.v1.accounts
    .$select(account)
    .statuses.list({ limit: 1, excludeReplies: true })
  expect(listed.map(({ id }) => id)).toEqual([status.id])
  await expect(rest.v1.statuses.create({ status: 'x'.repeat(501) })).rejects.toMatchObject({
    statusCode: 422,
    message: 'Validation failed: Text character limit of 500 exceeded',
  })
  expect(await sandbox.live()).toMatchObject([
    { text: 'From masto', media: [{ altText: 'A picture' }] },
  ])
})

test("the network's own client posts rich text and an image, and accepts every answer", async () => {
  await using sandbox = await testSandbox()
  const { account, baseUrl, credentials } = await sandbox.account('BLUESKY')
  // The library knows servers at the root of a host alone.
  await using _ = pathPrefix(sandbox.url, '/bluesky')
  const agent = new AtpAgent({ service: withoutPath(baseUrl) })
  const { identifier = '', appPassword = '' } = credentials
  await agent.login({ identifier, password: appPassword })
  expect(agent.did).toBe(account)
  const text = new RichText({ text: `Hello @${identifier}, see https://example.com/ #herald` })
  await text.detectFacets(agent)
  expect(text.facets?.length).toBe(3)
  const { data } = await agent.uploadBlob(png(8, 6), { encoding: 'image/png' })
  const embed = { $type: 'app.bsky.embed.images', images: [{ image: data.blob, alt: 'A picture' }] }
  const { uri, cid } = await agent.post({
    text: text.text,
    ...(text.facets && { facets: text.facets }),
    embed,
  })
  const rkey = uri.split('/').at(-1) ?? ''
  expect(await agent.getPost({ repo: account, rkey })).toMatchObject({ uri, cid })
  expect((await agent.getProfile({ actor: account })).data.postsCount).toBe(1)
  await expect(agent.post({ text: 'x'.repeat(301) })).rejects.toMatchObject({
    error: 'InvalidRequest',
    message: 'grapheme too big (maximum 300, got 301) at $.record.text',
  })
  expect(await sandbox.live()).toMatchObject([
    { id: uri, media: [{ width: 8, altText: 'A picture' }] },
  ])
})

function withoutPath(url: string): string {
  return new URL(url).origin
}

/** While it lives, `fetch` looks for what is asked of a host below a path. */
function pathPrefix(origin: string, prefix: string): AsyncDisposable {
  const { fetch } = globalThis
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const isClient = url.startsWith(origin) && /^\/(api|oauth|xrpc)\//.test(new URL(url).pathname)
    const moved = isClient ? url.replace(origin, `${origin}${prefix}`) : url
    return fetch(input instanceof Request ? new Request(moved, input) : moved, init)
  }
  return {
    [Symbol.asyncDispose]: async () => {
      globalThis.fetch = fetch
    },
  }
}
