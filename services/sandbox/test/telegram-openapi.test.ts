import { platformSettings } from '@herald/platforms/settings'
import { telegramConnector as telegram } from '@herald/platforms/telegram/connector'
import { expect, test } from 'vitest'
import { gif, mp4, png } from './media-bytes.ts'
import { describedBy } from './openapi.ts'
import { aFile, aPublishInput } from './publish-file.ts'
import { recordingProxy } from './recording-proxy.ts'
import { type Json, testSandbox } from './sandbox.ts'
import { telegramBot } from './telegram.ts'

/** The description names schemas that it does not have: anything may stand there. */
function mend(document: Json): void {
  const { schemas } = document.components
  for (const [, name = ''] of JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g))
    schemas[name] ??= {}
}

const description = await describedBy('telegram.yaml', mend)

test('what the connector sends and the sandbox answers is what the Bot API describes', async ({
  skip,
}) => {
  if ('reason' in description) return skip(description.reason)
  await using sandbox = await testSandbox()
  await using proxy = await recordingProxy(`${sandbox.url}/telegram`)
  const settings = {
    ...platformSettings(await sandbox.settings('TELEGRAM')).of('TELEGRAM'),
    apiUrl: proxy.url,
  }
  const { account, credentials } = await telegramBot(sandbox, 'harbour')
  const place = { baseUrl: '', settings }
  const { secrets } = await telegram.identify({ ...place, credentials })
  const { token } = await telegram.freshToken({ ...place, secrets, now: 0 })
  for (const media of [
    [],
    [aFile('med_1', 'image', png())],
    [aFile('med_1', 'video', mp4())],
    [aFile('med_1', 'gif', gif())],
    [aFile('med_1', 'document', Buffer.from('%PDF-1.7'), { mimeType: 'application/pdf' })],
    [aFile('med_1', 'image', png()), aFile('med_2', 'video', mp4())],
  ]) {
    const options = { parseMode: 'HTML', disableNotification: true, disableLinkPreview: true }
    const input = aPublishInput({ ...place, account, token, media, options, text: '<b>Look</b>' })
    expect(await telegram.commit({ ...input, step: {} })).toMatchObject({ outcome: 'published' })
  }
  // The token is a part of the server's address there, and methods that read are described as GET alone.
  const sent = proxy.exchanges
    .map((exchange) => ({ ...exchange, path: exchange.path.replace(/^\/bot[^/]+/, '') }))
    .filter(({ path }) => path.startsWith('/send'))
  expect(sent.length).toBe(6)
  expect(sent.flatMap(description.problems)).toEqual([])
})
