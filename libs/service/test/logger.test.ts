import { runInContext } from '@herald/service/context'
import { createLogger } from '@herald/service/logger'
import { expect, test } from 'vitest'

function captured() {
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  return { lines, logger: createLogger({ service: 'posts', level: 'info', destination }) }
}

test('a line is JSON with an ISO time, the service, the request and the organization', () => {
  const { lines, logger } = captured()
  logger.info('outside')
  runInContext({ requestId: 'req-1', organizationId: 'org-1' }, () =>
    logger.info({ a: 1 }, 'inside'),
  )
  expect(lines).toMatchObject([
    { service: 'posts', msg: 'outside' },
    { service: 'posts', msg: 'inside', a: 1, requestId: 'req-1', organizationId: 'org-1' },
  ])
  expect(lines[0]).not.toHaveProperty('requestId')
  expect(lines[0]?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('fields named like secrets are hidden, at the top and below', () => {
  const { lines, logger } = captured()
  const secrets = { password: 'canary', token: 'canary', secret: 'canary', credentials: 'canary' }
  logger.info({ ...secrets, apiKey: 'canary' })
  logger.info({ request: { headers: { authorization: 'canary', Authorization: 'canary' } } })
  logger.info({ channel: secrets, deep: { deeper: { deepest: secrets } } })
  const failure = Object.assign(new Error('failed'), { response: { config: secrets } })
  logger.error({ error: failure })
  expect(lines).toHaveLength(4)
  expect(JSON.stringify(lines)).not.toContain('canary')
})

test('an error is logged with its stack and its causes', () => {
  const { lines, logger } = captured()
  logger.error({ error: new Error('outer', { cause: new Error('inner') }) }, 'It failed.')
  const text = JSON.stringify(lines)
  expect(text).toContain('outer')
  expect(text).toContain('inner')
  expect(text).toContain('logger.test.ts')
})
