import { Scope } from '@herald/contracts/accounts'
import { ErrorEnvelope } from '@herald/contracts/errors'
import { ROUTES } from '@herald/contracts/http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal, testGateway, type TestGateway } from './harness.ts'

const ALL = Scope.options
const SETS = Array.from({ length: 2 ** ALL.length }, (_, bits) =>
  ALL.filter((_scope, index) => bits & (1 << index)),
)
const BODIES: Partial<Record<keyof typeof ROUTES, unknown>> = {
  createPost: { content: 'a', channelIds: ['c'] },
  validatePost: { content: 'a', channelIds: ['c'] },
  editPost: { content: 'a' },
  importMedia: { url: 'https://example.com/a.png' },
  createUpload: { fileName: 'a.png', mimeType: 'image/png', fileSize: 1 },
}

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
afterAll(() => gateway.close())

describe.each(Object.entries(ROUTES))('%s', (name, route) => {
  const kind = { media: 'med', channels: 'chan' }[route.path.split('/')[1] ?? ''] ?? 'post'
  const path = `/v1${route.path.replace(':id', `${kind}_01kb5x4a7ne8btgq1vq4p0d2c9`)}`
  const body = BODIES[name as keyof typeof ROUTES]

  test.each(SETS.map((scopes) => ({ scopes, named: scopes.join(' and ') || 'no scope' })))(
    '17, 19: a key with $named',
    async ({ scopes }) => {
      const { key } = gateway.accounts.issue({ scopes })
      const send = { key, ...(body !== undefined && { body }) }
      const response = await gateway.request(route.method, path, send)
      const isAllowed = scopes.includes(route.scope)
      expect(response.status).toBe(isAllowed ? route.status : 403)
      expect(ErrorEnvelope.safeParse(await response.json()).data?.error.code).toBe(
        isAllowed ? undefined : 'forbidden_scope',
      )
    },
  )
})

test('a missing scope is told before a bad body, a wrong method before a missing scope', async () => {
  const { key } = gateway.accounts.issue({ scopes: ['generate'] })
  const bad = { key, body: '{' }
  await expectRefusal(await gateway.request('POST', '/v1/posts', bad), 403, 'forbidden_scope')
  await expectRefusal(await gateway.request('PUT', '/v1/posts', bad), 405, 'validation_failed')
  await expectRefusal(await gateway.request('PUT', '/v1/nothing', bad), 404, 'not_found')
})
