import { platformSettings } from '@herald/platforms/settings'
import { youtubeConnector as youtube } from '@herald/platforms/youtube/connector'
import { expect, test } from 'vitest'
import { mp4 } from './media-bytes.ts'
import { describedBy } from './openapi.ts'
import { aFile, aPublishInput } from './publish-file.ts'
import { recordingProxy } from './recording-proxy.ts'
import { testSandbox } from './sandbox.ts'
import { youtubeUser } from './youtube.ts'

const description = await describedBy('youtube.yaml')

test('what the connector reads is what YouTube describes', async ({ skip }) => {
  if ('reason' in description) return skip(description.reason)
  await using sandbox = await testSandbox()
  // The description knows the reading API; the uploads are a protocol of Google's own.
  await using proxy = await recordingProxy(`${sandbox.url}/youtube/youtube/v3`)
  const settings = {
    ...platformSettings(await sandbox.settings('YOUTUBE')).of('YOUTUBE'),
    apiUrl: proxy.url,
  }
  const { account, token, credentials } = await youtubeUser(sandbox)
  await youtube.identify({ baseUrl: '', settings, credentials })
  await youtube.choices!({ baseUrl: '', settings, token, account, limits: {}, query: {} })
  const options = { title: 'A boat', privacyStatus: 'public', tags: ['sea'] }
  const media = [aFile('med_1', 'video', mp4())]
  const input = aPublishInput({ baseUrl: '', settings, account, token, options, media })
  const prepared = await youtube.prepare(input)
  if (prepared.outcome !== 'ready') throw new Error(prepared.message)
  const { step } = prepared
  expect(await youtube.commit({ ...input, step })).toMatchObject({ outcome: 'published' })
  await sandbox.advance(2)
  await youtube.lookUp({ ...input, step, calledAt: new Date().toISOString() })
  expect(proxy.exchanges.map(({ path }) => path)).toEqual([
    '/channels',
    '/videoCategories',
    '/videos',
  ])
  expect(proxy.exchanges.flatMap(description.problems)).toEqual([])
})
