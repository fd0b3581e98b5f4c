import type { Platform } from '@herald/contracts/platforms'
import { platformOf } from '@herald/platforms/registry'
import { platformSettings } from '@herald/platforms/settings'
import { expect, test } from 'vitest'
import { aFile, aPublishInput } from './publish-file.ts'
import { png } from './media-bytes.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'

/** Those that have a reason of their own to refuse or to fail a post have tests of their own. */
test.each(['MASTODON', 'BLUESKY', 'LINKEDIN', 'X', 'PINTEREST'] as const)(
  'a text with a command to fail is refused on %s, with the reason that it names',
  async (platform) => {
    await using sandbox = await testSandbox()
    const { connector, input } = await arrange(sandbox, platform)
    const post = { ...input, text: 'A boat #sandbox-fail:bad_weather', step: { images: [IMAGE] } }
    const outcome = await connector.commit(post)
    expect(outcome).toMatchObject({
      outcome: 'permanent',
      errorCode: 'platform_rejected',
      message: expect.stringContaining('bad_weather'),
    })
    expect(await sandbox.live()).toEqual([])
  },
)

const IMAGE = 'http://127.0.0.1/med_1'

async function arrange(sandbox: TestSandbox, platform: Platform) {
  const connector = platformOf(platform)?.connector
  if (!connector) throw new Error(`There is no ${platform}.`)
  const { account, baseUrl, credentials } = await sandbox.account(platform, 'ada')
  const settings = platformSettings(await sandbox.settings(platform)).of(platform)
  const { secrets, limits = {} } = await connector.identify({ baseUrl, credentials, settings })
  const now = Date.now()
  const { token } = await connector.freshToken({ baseUrl, settings, secrets, now })
  const of = { baseUrl, settings, token, account, limits }
  const chosen = await connector.choices?.({ ...of, query: {} })
  const isPinterest = platform === 'PINTEREST'
  const options = isPinterest ? { boardId: chosen?.[0]?.choices[0]?.value } : {}
  const media = isPinterest ? [aFile('med_1', 'image', png())] : []
  return { connector, input: aPublishInput({ ...of, options, media }) }
}
