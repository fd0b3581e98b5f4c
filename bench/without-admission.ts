import { registerHooks } from 'node:module'

/**
 * Preloaded into a stack that is compared with one as it is: its gateway asks nobody whether a request is within the
 * limits.
 */
const ADMISSIONS = '/services/gateway/src/batched-admissions.ts'
const EVERYTHING_PASSES = `
const window = { limit: 1e9, remaining: 1e9, used: 0, resetsAt: '2100-01-01T00:00:00.000Z' }
const answer = { at: '2000-01-01T00:00:00.000Z', refusal: null, minute: window, month: window }
export const batchedAdmissions = () => async () => answer
`

registerHooks({
  load: (url, context, nextLoad) =>
    url.endsWith(ADMISSIONS)
      ? { format: 'module', source: EVERYTHING_PASSES, shortCircuit: true }
      : nextLoad(url, context),
})
