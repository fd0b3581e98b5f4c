import { platformSettings } from '@herald/platforms/settings'
import { xConnector as x } from '@herald/platforms/x/connector'
import { expect, test } from 'vitest'
import { mp4, png } from './media-bytes.ts'
import { describedBy } from './openapi.ts'
import { aFile, aPublishInput } from './publish-file.ts'
import { recordingProxy } from './recording-proxy.ts'
import { type Json, testSandbox } from './sandbox.ts'
import { xUser } from './x.ts'

/** The description calls fields required that X does not have, and is older than two of those of a post. */
function mend({ components: { schemas } }: Json): void {
  for (const name of ['MediaUploadResponse', 'MediaUploadAppendResponse', 'ProcessingInfo'])
    delete schemas[name].required
  const { properties } = schemas.TweetCreateRequest
  properties.made_with_ai = properties.paid_partnership = { type: 'boolean' }
}

const description = await describedBy('twitter.yaml', mend)

test('what the connector asks and the sandbox answers is what X describes', async ({ skip }) => {
  if ('reason' in description) return skip(description.reason)
  await using sandbox = await testSandbox()
  await using proxy = await recordingProxy(`${sandbox.url}/x`)
  const settings = {
    ...platformSettings(await sandbox.settings('X')).of('X'),
    apiUrl: proxy.url,
  }
  const { account, token, credentials } = await xUser(sandbox)
  await x.identify({ baseUrl: '', settings, credentials })
  const onStep = async () => void (await sandbox.advance(2))
  for (const media of [
    [aFile('med_1', 'image', png(), { altText: 'A boat' }), aFile('med_2', 'image', png())],
    [aFile('med_3', 'video', mp4())],
    [],
  ]) {
    const options = { replySettings: 'following', madeWithAi: true }
    const input = aPublishInput({ baseUrl: '', settings, account, token, media, options })
    const prepared = await x.prepare({ ...input, onStep })
    if (prepared.outcome !== 'ready') throw new Error(prepared.message)
    const { step } = prepared
    expect(await x.commit({ ...input, step })).toMatchObject({ outcome: 'published' })
    await x.lookUp({ ...input, step, calledAt: new Date().toISOString() })
  }
  const again = aPublishInput({ baseUrl: '', settings, account, token })
  expect(await x.commit({ ...again, step: {} })).toMatchObject({ errorCode: 'duplicate' })
  expect(proxy.exchanges.length).toBeGreaterThan(15)
  expect(proxy.exchanges.flatMap(description.problems)).toEqual([])
})
