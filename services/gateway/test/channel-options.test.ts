import { AppError, unavailable } from '@herald/contracts/errors'
import { describe, expect, test } from 'vitest'
import { expectFixedHeaders, expectRefusal, testGateway } from './harness.ts'

const ID = 'chan_01kb5x4a7ne8btgq1vq4p0d2c9'
const PATH = `/v1/channels/${ID}/options`
const OPTIONS = {
  data: [{ field: 'reddit.flairId', choices: [{ value: '1', label: 'Sourdough' }] }],
}

describe('GET /v1/channels/{id}/options 200', () => {
  test('gives what the channels service answers for the key, with the parameters of the query', async () => {
    await using gateway = await testGateway({ channels: { choices: async () => OPTIONS } })
    const { key, verified } = gateway.accounts.issue({ channels: [ID] })
    const response = await gateway.request('GET', `${PATH}?subreddit=Breadit`, { key })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(OPTIONS)
    expectFixedHeaders(response.headers)
    expect(gateway.channels.choices).toHaveBeenCalledExactlyOnceWith({
      organizationId: verified.organization.id,
      channels: [ID],
      channelId: ID,
      query: { subreddit: 'Breadit' },
    })
  })

  test('has a tag, and is 304 for who has it', async () => {
    await using gateway = await testGateway({ channels: { choices: async () => OPTIONS } })
    const tag = (await gateway.request('GET', PATH)).headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[A-Za-z0-9_-]{27}"$/)
    const headers = { 'If-None-Match': tag }
    expect((await gateway.request('GET', PATH, { headers })).status).toBe(304)
  })
})

describe('GET /v1/channels/{id}/options is refused', () => {
  test.each([
    [404, 'not_found', new AppError('not_found', 'There is no such connected channel.')],
    [409, 'reauth_required', new AppError('reauth_required', 'Connect the channel again.')],
    [422, 'validation_failed', new AppError('validation_failed', 'The query is not valid.')],
    [503, 'internal_error', unavailable()],
  ])('%i %s as the channels service says', async (status, code, error) => {
    await using gateway = await testGateway({ channels: { choices: () => Promise.reject(error) } })
    await expectRefusal(await gateway.request('GET', PATH), status, code)
  })

  test.each([
    '/v1/channels/nothing/options',
    '/v1/channels/post_01kb5x4a7ne8btgq1vq4p0d2c9/options',
  ])('404 not_found for what is no id of a channel, without asking: %s', async (path) => {
    await using gateway = await testGateway()
    await expectRefusal(await gateway.request('GET', path), 404, 'not_found')
    expect(gateway.channels.choices).not.toHaveBeenCalled()
  })

  test.each(['?board=1', '?subreddit=', '?subreddit=a&subreddit=b'])(
    '422 validation_failed for the query %s, without asking',
    async (query) => {
      await using gateway = await testGateway()
      const response = await gateway.request('GET', `${PATH}${query}`)
      await expectRefusal(response, 422, 'validation_failed')
      expect(gateway.channels.choices).not.toHaveBeenCalled()
    },
  )
})
