import { z } from 'zod'
import { addressOf, webAddress } from '../addresses.ts'
import { ask } from '../ask.ts'
import type { HttpResponse } from '../http.ts'
import {
  type AccountInput,
  ConnectError,
  type HttpDeps,
  type Identity,
  type IdentifyInput,
  type Limits,
  type Settings,
} from '../platform.ts'
import { readJson } from '../read-json.ts'
import { oneLine } from '../refusal.ts'
import { readToken } from '../stored-token.ts'
import { YOUTUBE_ERRORS } from './errors.ts'

const Channel = z.object({
  id: z.string().min(1),
  snippet: z.object({
    title: z.string(),
    customUrl: z.string().nullish(),
    thumbnails: z.object({ default: z.object({ url: z.string() }).nullish() }).nullish(),
  }),
  status: z.object({ longUploadsStatus: z.string().nullish() }).nullish(),
})
type Channel = z.infer<typeof Channel>

/** A list without any is said by leaving `items` out. */
const Channels = z.object({ items: z.array(Channel).default([]) })

/** Whose token it is: the YouTube channel that was chosen when access was granted. */
export async function identify(
  { credentials, settings }: Pick<IdentifyInput, 'credentials'> & { settings: Settings },
  deps?: HttpDeps,
): Promise<Identity> {
  const { accessToken, secrets, expiresAt } = readToken(credentials)
  const { snippet, ...channel } = await readChannel(settings, accessToken, 'refused', deps)
  return {
    account: channel.id,
    username: snippet.customUrl?.replace(/^@/, '') || channel.id,
    name: snippet.title.trim() || channel.id,
    avatarUrl: webAddress(snippet.thumbnails?.default?.url),
    rules: {},
    limits: limitsOf(channel),
    secrets,
    expiresAt,
  }
}

/** How long the channel's videos may be now. */
export async function readLimits(
  { settings, token }: AccountInput,
  deps?: HttpDeps,
): Promise<{ rules: Record<string, never>; limits: Limits }> {
  return { rules: {}, limits: limitsOf(await readChannel(settings, token, 'unavailable', deps)) }
}

/** Videos of more than 15 minutes are for verified accounts. */
function limitsOf({ status }: Pick<Channel, 'status'>): Limits {
  const isShort = ['disallowed', 'eligible'].includes(status?.longUploadsStatus ?? '')
  return isShort ? { maxVideoSeconds: 900 } : {}
}

async function readChannel(
  settings: Settings,
  token: string,
  otherwise: ConnectError['kind'],
  deps?: HttpDeps,
): Promise<Channel> {
  const url = addressOf(settings['apiUrl'] ?? '', '/channels', {
    part: 'snippet,status',
    mine: 'true',
  })
  const headers = { authorization: `Bearer ${token}` }
  const response = await ask('YouTube', { method: 'GET', url, headers }, deps)
  const list = response.status === 200 ? readJson(Channels, response.text) : undefined
  const channel = list?.items[0]
  if (channel) return channel
  if (list) throw new ConnectError(otherwise, 'The Google account has no YouTube channel.')
  throw refused(response, otherwise)
}

/** Why YouTube does not say what it was asked; a used-up quota says nothing about the credentials. */
export function refused(response: HttpResponse, otherwise: ConnectError['kind']): ConnectError {
  const { code, message } = YOUTUBE_ERRORS.read(response.text)
  const isBusy = /LimitExceeded$|^quotaExceeded$/.test(code ?? '')
  const said = oneLine(message || `status ${response.status}`)
  return new ConnectError(isBusy ? 'unavailable' : otherwise, `YouTube refuses the access: ${said}`)
}
