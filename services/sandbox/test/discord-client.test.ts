import { REST } from '@discordjs/rest'
import { expect, test } from 'vitest'
import { discordBot } from './discord.ts'
import { png } from './media-bytes.ts'
import { type Json, testSandbox } from './sandbox.ts'

test('the client library @discordjs/rest posts with files, reads back, and understands refusals', async () => {
  await using sandbox = await testSandbox()
  const { account, credentials } = await discordBot(sandbox)
  const rest = new REST({ api: `${sandbox.url}/discord/api`, version: '10', retries: 0 })
  rest.setToken(credentials['botToken'] ?? '')
  const messages = `/channels/${account}/messages` as const
  const posted: Json = await rest.post(messages, {
    body: {
      content: 'From a library',
      nonce: 'library-1',
      enforce_nonce: true,
      attachments: [{ id: 0, description: 'A picture' }],
    },
    files: [{ name: 'picture.png', data: png(8, 6), contentType: 'image/png' }],
  })
  expect(posted.attachments).toMatchObject([{ filename: 'picture.png', width: 8 }])
  const history: Json = await rest.get(messages, { query: new URLSearchParams({ limit: '5' }) })
  expect(history.map(({ id }: { id: string }) => id)).toEqual([posted.id])
  await expect(rest.post(messages, { body: { content: 'x'.repeat(2001) } })).rejects.toMatchObject({
    status: 400,
    code: 50035,
    rawError: { errors: { content: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH' }] } } },
  })
  await expect(rest.get('/channels/1')).rejects.toMatchObject({ status: 404, code: 10003 })
  const hook: Json = await rest.post(`/channels/${account}/webhooks`, { body: { name: 'News' } })
  const sent: Json = await rest.post(`/webhooks/${hook.id}/${hook.token}`, {
    body: { content: 'By a webhook' },
    query: new URLSearchParams({ wait: 'true' }),
    auth: false,
  })
  expect(sent.webhook_id).toBe(hook.id)
  expect(await sandbox.live()).toMatchObject([
    { text: 'From a library', media: [{ width: 8, altText: 'A picture' }] },
    { text: 'By a webhook' },
  ])
})

test('the client library @discordjs/rest waits for as long as the limit says', async () => {
  await using sandbox = await testSandbox()
  const { account, credentials } = await discordBot(sandbox)
  const rest = new REST({
    api: `${sandbox.url}/discord/api`,
    version: '10',
    retries: 1,
    rejectOnRateLimit: () => true,
  })
  rest.setToken(credentials['botToken'] ?? '')
  await sandbox.fault({ platform: 'DISCORD', kind: 'rate_limit', times: 1 })
  const post = () => rest.post(`/channels/${account}/messages`, { body: { content: 'x' } })
  const error: Json = await post().catch((reason: unknown) => reason)
  // The library rounds up as the header does, and adds a little.
  expect(error).toMatchObject({ scope: 'user', global: false })
  expect(error.retryAfter).toBeGreaterThanOrEqual(2000)
  expect(error.retryAfter).toBeLessThan(3000)
  expect(await sandbox.live()).toEqual([])
})
