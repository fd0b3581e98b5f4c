import { platformSettings } from '@herald/platforms/settings'
import { redditConnector as reddit } from '@herald/platforms/reddit/connector'
import { expect, test } from 'vitest'
import { describedBy } from './openapi.ts'
import { aPublishInput } from './publish-file.ts'
import { recordingProxy } from './recording-proxy.ts'
import { type Json, testSandbox } from './sandbox.ts'

/** A list that ends has no `after`. */
function mend({ components: { schemas } }: Json): void {
  const { after, before } = schemas.Listing.allOf[1].properties.data.properties
  after.nullable = before.nullable = true
}

const description = await describedBy('reddit.yaml', mend)

test('what the connector asks and the stand-in answers is as others describe Reddit', async ({
  skip,
}) => {
  if ('reason' in description) return skip(description.reason)
  await using sandbox = await testSandbox()
  const { account, baseUrl, credentials } = await sandbox.account('REDDIT', 'ada')
  await using proxy = await recordingProxy(baseUrl)
  const settings = {
    ...platformSettings(await sandbox.settings('REDDIT')).of('REDDIT'),
    apiUrl: proxy.url,
  }
  await reddit.identify({ baseUrl, credentials, settings })
  const token = credentials['accessToken'] ?? ''
  const options = { subreddit: 'boats', title: 'A boat' }
  for (const more of [{}, { link: 'https://example.com/' }]) {
    const chosen = { ...options, ...more }
    const input = aPublishInput({ baseUrl, settings, token, account, options: chosen })
    expect(await reddit.commit({ ...input, step: {} })).toMatchObject({ outcome: 'published' })
    await reddit.lookUp({ ...input, step: {}, calledAt: new Date().toISOString() })
  }
  expect(proxy.exchanges.map(({ path }) => path)).toEqual([
    '/api/v1/me',
    '/api/submit',
    '/user/ada/submitted',
    '/api/submit',
    '/user/ada/submitted',
  ])
  expect(proxy.exchanges.flatMap(description.problems)).toEqual([])
})
