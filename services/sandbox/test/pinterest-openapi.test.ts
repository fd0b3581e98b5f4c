import { pinterestConnector as pinterest } from '@herald/platforms/pinterest/connector'
import { platformSettings } from '@herald/platforms/settings'
import { expect, test } from 'vitest'
import { mp4, png } from './media-bytes.ts'
import { describedBy } from './openapi.ts'
import { named } from './pinterest.ts'
import { aFile, aPublishInput } from './publish-file.ts'
import { recordingProxy } from './recording-proxy.ts'
import { type Json, testSandbox } from './sandbox.ts'

const description = await describedBy('pinterest.yaml', mend)

/**
 * A discriminator names the schema that counts, and the validator cannot have `oneOf` with several that fit; and it knows
 * `nullable` only beside a type.
 */
function mend(part: Json): void {
  if (typeof part !== 'object' || part === null) return
  if (part.discriminator) {
    if (part.oneOf) part.anyOf = part.oneOf
    delete part.oneOf
    delete part.discriminator
  }
  if (part.nullable === true && !part.type && part.allOf) {
    part.anyOf = [{ type: 'null' }, { allOf: part.allOf }]
    delete part.allOf
    delete part.nullable
  }
  for (const inner of Object.values<Json>(part)) mend(inner)
}

test('what the connector asks and the stand-in answers is as others describe Pinterest', async ({
  skip,
}) => {
  if ('reason' in description) return skip(description.reason)
  await using sandbox = await testSandbox()
  await using files = await named({ a: png(40, 30) })
  const { account, baseUrl, credentials } = await sandbox.account('PINTEREST', 'ada')
  await using proxy = await recordingProxy(`${baseUrl}/v5`)
  const settings = {
    ...platformSettings(await sandbox.settings('PINTEREST')).of('PINTEREST'),
    apiUrl: proxy.url,
    tokenUrl: `${proxy.url}/oauth/token`,
  }
  await pinterest.identify({ baseUrl, credentials, settings })
  const token = credentials['accessToken'] ?? ''
  const asked = { baseUrl, settings, token, account, limits: {}, query: {} }
  const boardId = (await pinterest.choices?.(asked))?.[0]?.choices[0]?.value
  const imageUrl = async () => ({
    url: files.urlOf('a'),
    mimeType: 'image/png',
    width: 40,
    height: 30,
  })
  const picture = (id: string) => aFile(id, 'image', png(), { imageUrl, altText: 'A boat' })
  const posts = [[picture('1')], [picture('1'), picture('2')], [aFile('3', 'video', mp4())]]
  for (const media of posts) {
    const options = { boardId, title: 'A title', link: 'https://example.com/' }
    const input = aPublishInput({ baseUrl, settings, token, account, options, media })
    const onStep = async () => void (await sandbox.advance(2))
    const prepared = await pinterest.prepare({ ...input, onStep })
    if (prepared.outcome !== 'ready') throw new Error(prepared.message)
    const { step } = prepared
    expect(await pinterest.commit({ ...input, step })).toMatchObject({ outcome: 'published' })
    await pinterest.lookUp({ ...input, step, calledAt: new Date().toISOString() })
  }
  const elsewhere = { boardId: '1', title: 'A title' }
  const media = [picture('1')]
  const input = aPublishInput({ baseUrl, settings, token, account, options: elsewhere, media })
  const refused = await pinterest.commit({ ...input, step: { images: [files.urlOf('a')] } })
  expect(refused).toMatchObject({ errorCode: 'board_not_found' })
  await pinterest.freshToken({ baseUrl, settings, secrets: credentials, now: 0, deadToken: token })
  expect(proxy.exchanges.length).toBeGreaterThan(10)
  expect(proxy.exchanges.flatMap(description.problems)).toEqual([])
})
