import { z } from 'zod'
import { readJson } from './read-json.ts'
import type { Complaint, RefusalRow } from './refusal.ts'

const GraphError = z.object({
  error: z.object({
    message: z.string().nullish(),
    code: z.number().nullish(),
    error_subcode: z.number().nullish(),
    is_transient: z.boolean().nullish(),
    error_user_msg: z.string().nullish(),
  }),
})

/**
 * What a Graph API refusal says. Its code is written `24/4279009`, with the subcode where there is one, and ` transient`
 * after it where Meta says so.
 */
export function readGraphError(text: string): Complaint {
  const error = readJson(GraphError, text)?.error
  if (!error) return {}
  const code = [error.code, error.error_subcode].filter(
    (part) => part !== null && part !== undefined,
  )
  return {
    code: `${code.join('/')}${error.is_transient ? ' transient' : ''}`,
    message: error.error_user_msg || error.message || undefined,
  }
}

/** Whether a refusal says for certain that the access token is dead: expired, revoked, or the password was changed. */
export function isDeadToken(text: string): boolean {
  return /^190\b/.test(readGraphError(text).code ?? '')
}

/** Whether a refusal is about the access token: it is dead, or it lacks a permission. */
export function isRefused(text: string): boolean {
  return /^(190|3|10|2\d\d)\b/.test(readGraphError(text).code ?? '')
}

/**
 * What the refusals mean that all of Meta's Graph APIs share. An error that Meta calls passing may come after the call was
 * carried out, so its outcome is unknown.
 */
export function graphRows(name: string): RefusalRow[] {
  return [
    {
      code: /^190\b/,
      means: {
        outcome: 'reauth',
        message: `${name} does not accept the access token any more. Connect the channel again.`,
      },
    },
    {
      code: /^(4|17|32|341|613|800\d\d)\b/,
      means: { outcome: 'rate_limited', message: `${name} takes no more calls for now.` },
    },
    {
      code: /^368\b/,
      means: {
        outcome: 'permanent',
        errorCode: 'account_suspended',
        message: `${name} has blocked the account from posting for a while. Look at the account's notices.`,
      },
    },
    {
      code: /^(3|10|2\d\d)\b|^100\/33\b/,
      means: {
        outcome: 'permanent',
        errorCode: 'missing_permission',
        message: `${name} does not let Herald post for this account. Connect the channel again and allow everything that is asked for.`,
      },
    },
    {
      code: /^[12]\b| transient$/,
      means: { outcome: 'unknown', message: `${name} had a problem of its own.` },
    },
  ]
}
