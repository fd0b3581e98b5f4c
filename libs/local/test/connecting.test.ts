import { eventually } from '@herald/testing/eventually'
import { expect, test } from 'vitest'
import { grantAccess } from './browser.ts'
import { publishedEvents } from './published-events.ts'
import { testWorld, type World } from './world.ts'

const WITHIN = { timeoutMs: 30_000 }

/** Sends a person to the sandbox's Mastodon and back to Herald; gives the page that is shown in the end. */
async function connectInBrowser(world: World, account: string) {
  const begun = await world.channels.beginConnect({
    organizationId: world.organizationId,
    platform: 'MASTODON',
    baseUrl: `${world.sandbox.url}/mastodon`,
    redirectUri: `${world.apiUrl}/connect/callback/mastodon`,
  })
  const way = await grantAccess(begun.url, account)
  const response = await fetch(way)
  return { way, status: response.status, text: await response.text() }
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()

test('a channel whose grant was revoked keeps its id and its scheduled posts when a person grants access anew', async () => {
  await using world = await testWorld()
  const { account } = await world.sandbox.createAccount('MASTODON', 'baker')
  const page = await connectInBrowser(world, account)
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('(baker)') })
  const list = () => world.herald.channels.list().page()
  const channel = (await list()).data.find(({ username }) => username === 'baker')
  expect(channel).toMatchObject({ platform: 'MASTODON', status: 'active' })
  const channelIds = [channel?.id ?? '']

  const planned = await world.create({
    content: 'Planned before the grant was over',
    channelIds,
    publishAt: inSeconds(3_600),
  })
  await world.sandbox.revoke({ platform: 'MASTODON', account })
  const failed = await world.create({ content: 'After the grant was over', channelIds })
  await eventually(async () => {
    expect(await world.get(failed.id)).toMatchObject({
      status: 'failed',
      channels: [{ errorCode: 'reauth_required', error: expect.stringMatching(/\w+ .*\.$/) }],
    })
  }, WITHIN)
  expect((await list()).data).toContainEqual({ ...channel, status: 'reauth_required' })
  await eventually(async () => {
    expect((await publishedEvents(world)).join()).toContain('ChannelReauthRequired')
  })
  expect((await world.get(planned.id)).status).toBe('scheduled')

  expect(await connectInBrowser(world, account)).toMatchObject({ status: 200 })
  expect((await list()).data).toContainEqual(channel)
  await world.herald.posts.edit(planned.id, { publishAt: inSeconds(0) })
  await eventually(async () => {
    expect(await world.get(planned.id)).toMatchObject({
      status: 'published',
      channels: [{ channelId: channel?.id }],
    })
  }, WITHIN)
  const live = await world.sandbox.live({ platform: 'MASTODON', account })
  expect(live.map(({ text }) => text)).toEqual(['Planned before the grant was over'])
}, 90_000)

test('the way back from a platform works once, and a disconnected channel has no grant left there', async () => {
  await using world = await testWorld()
  const { account } = await world.sandbox.createAccount('MASTODON', 'baker')
  const { way } = await connectInBrowser(world, account)
  const again = await fetch(way)
  expect(again.status).toBe(404)
  expect(await again.text()).toContain('not valid any more')
  const { data } = await world.herald.channels.list().page()
  const { id: channelId = '' } = data.find(({ username }) => username === 'baker') ?? {}
  const { organizationId } = world
  const { token } = await world.channels.access({ organizationId, channelId })
  const isAlive = async () => {
    const url = `${world.sandbox.url}/mastodon/api/v1/accounts/verify_credentials`
    return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status === 200
  }
  expect(await isAlive()).toBe(true)
  await world.channels.disconnect({ organizationId, channelId })
  await eventually(async () => expect(await isAlive()).toBe(false))
})
