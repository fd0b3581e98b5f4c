import { linkedinConnector as linkedin } from '@herald/platforms/linkedin/connector'
import { platformSettings } from '@herald/platforms/settings'
import { expect, test } from 'vitest'
import { mp4, png } from './media-bytes.ts'
import { describedBy } from './openapi.ts'
import { aFile, aPublishInput } from './publish-file.ts'
import { recordingProxy } from './recording-proxy.ts'
import { type Json, testSandbox } from './sandbox.ts'

/** The description asks for the size of a picture, which LinkedIn does not, and has other states of files. */
function mend({ components: { schemas } }: Json): void {
  schemas.ImageUploadInitRequest.required = ['owner']
  for (const name of ['Video', 'Image']) schemas[name].properties.status = { type: 'string' }
}

const description = await describedBy('linkedin.yaml', mend)

test('what the connector asks and the sandbox answers is what LinkedIn describes', async ({
  skip,
}) => {
  if ('reason' in description) return skip(description.reason)
  await using sandbox = await testSandbox()
  await using proxy = await recordingProxy(`${sandbox.url}/linkedin`)
  const { account, credentials } = await sandbox.account('LINKEDIN', 'adapage')
  const settings = {
    ...platformSettings(await sandbox.settings('LINKEDIN')).of('LINKEDIN'),
    apiUrl: proxy.url,
  }
  const token = credentials['accessToken'] ?? ''
  const onStep = async () => void (await sandbox.advance(2))
  for (const media of [
    [aFile('med_1', 'image', png(), { altText: 'A boat' }), aFile('med_2', 'image', png())],
    [aFile('med_3', 'image', png())],
    [aFile('med_4', 'video', mp4())],
    [],
  ]) {
    const input = aPublishInput({ baseUrl: '', settings, account, token, media })
    const prepared = await linkedin.prepare({ ...input, onStep })
    if (prepared.outcome !== 'ready') throw new Error(prepared.message)
    const { step } = prepared
    expect(await linkedin.commit({ ...input, step })).toMatchObject({ outcome: 'published' })
    await linkedin.lookUp({ ...input, step, calledAt: new Date().toISOString() })
  }
  // Documents and the end of a video are not described.
  const isDescribed = /^(?!.*documents|.* is not described$)/
  const problems = proxy.exchanges.flatMap(description.problems)
  expect(problems.filter((problem) => isDescribed.test(problem))).toEqual([])
  expect(proxy.exchanges.length).toBeGreaterThan(15)
})
