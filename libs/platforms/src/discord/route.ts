import type { PublishInput } from '../platform.ts'
import { botAuth, USER_AGENT } from './api.ts'

/**
 * How messages get to a channel: in a bot's name, or by a webhook, which has its id and token in its path and knows
 * neither a key nor what was posted. `path` answers what the channel or webhook is, below `messages` are its messages.
 */
export type Route = {
  kind: 'bot' | 'webhook'
  path: string
  messages: string
  headers: Record<string, string>
}

/** The route of a token as `freshToken` answers it. A bot's has no slash; a webhook's is `id/token`. */
export function routeOf({ token, account }: Pick<PublishInput, 'token' | 'account'>): Route {
  return token.includes('/') ? webhookRoute(token) : botRoute(token, account)
}

export function webhookRoute(token: string): Route {
  const path = `/webhooks/${token}`
  // Without waiting, Discord answers before it knows whether it can post.
  return { kind: 'webhook', path, messages: `${path}?wait=true`, headers: USER_AGENT }
}

function botRoute(token: string, account: string): Route {
  const path = `/channels/${encodeURIComponent(account)}`
  return { kind: 'bot', path, messages: `${path}/messages`, headers: botAuth(token) }
}
