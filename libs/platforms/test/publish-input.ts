import type { LookUpInput } from '../src/platform.ts'

/** What a publishing call is given, with defaults. */
export function aPublishInput(overrides: Partial<LookUpInput>): LookUpInput {
  return {
    baseUrl: 'http://127.0.0.1:1',
    token: 'token-1',
    account: 'account-1',
    username: 'ada',
    settings: {},
    limits: {},
    idempotencyKey: 'post_1.chan_1.1',
    rkeyTime: Date.UTC(2026, 10, 21, 9, 30),
    text: 'Hello',
    options: {},
    createdAt: '2026-11-21T09:30:00.000Z',
    media: [],
    signal: new AbortController().signal,
    step: {},
    calledAt: new Date().toISOString(),
    ...overrides,
  }
}
