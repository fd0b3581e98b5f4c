import { platformSettings } from '@herald/platforms/settings'
import { tiktokConnector as tiktok } from '@herald/platforms/tiktok/connector'
import { expect, test } from 'vitest'
import { mp4 } from './media-bytes.ts'
import { describedBy } from './openapi.ts'
import { aFile, aPublishInput } from './publish-file.ts'
import { recordingProxy } from './recording-proxy.ts'
import { type Json, testSandbox } from './sandbox.ts'
import { tiktokUser } from './tiktok.ts'

/** The description has the question for the creator twice, once as a GET, and errors one level too deep. */
function mend({ paths, components: { schemas } }: Json): void {
  const creator = paths['/post/publish/creator_info/query/']
  creator.post ??= creator.get
  paths['/user/info/'] = paths['/v2/user/info/']
  schemas.ErrorResponse = schemas.ErrorResponse.properties.error
}

const description = await describedBy('tiktok.yaml', mend)

test('what the connector asks and the sandbox answers is what others describe', async ({
  skip,
}) => {
  if ('reason' in description) return skip(description.reason)
  await using sandbox = await testSandbox()
  await using proxy = await recordingProxy(`${sandbox.url}/tiktok/v2`)
  const settings = {
    ...platformSettings(await sandbox.settings('TIKTOK')).of('TIKTOK'),
    apiUrl: proxy.url,
  }
  const { account, token, credentials } = await tiktokUser(sandbox)
  await tiktok.identify({ baseUrl: '', settings, credentials })
  const options = { privacyLevel: 'SELF_ONLY', disableDuet: true, madeWithAi: true }
  const media = [aFile('med_1', 'video', mp4())]
  const input = aPublishInput({ baseUrl: '', settings, account, token, options, media })
  const video = await tiktok.prepare(input)
  if (video.outcome !== 'ready') throw new Error(video.message)
  await tiktok.commit({ ...input, step: video.step })
  await sandbox.advance(5)
  const calledAt = new Date().toISOString()
  expect(await tiktok.lookUp({ ...input, step: video.step, calledAt })).toHaveProperty('found')
  const photos = { ...input, media: [aFile('med_2', 'image', mp4())] }
  const prepared = await tiktok.prepare(photos)
  if (prepared.outcome !== 'ready') throw new Error(prepared.message)
  const signal = AbortSignal.timeout(1000)
  await tiktok.commit({ ...photos, step: prepared.step, signal })
  await tiktok.lookUp({ ...photos, step: prepared.step, calledAt })
  expect(new Set(proxy.exchanges.map(({ path }) => path)).size).toBe(6)
  expect(proxy.exchanges.flatMap(description.problems)).toEqual([])
})
