import { z } from 'zod'
import { addressOf, webAddress } from '../addresses.ts'
import { ask } from '../ask.ts'
import type { HttpResponse } from '../http.ts'
import {
  type AccountInput,
  type Choices,
  ConnectError,
  type HttpDeps,
  type Identity,
  type IdentifyInput,
  type Limits,
  type Settings,
} from '../platform.ts'
import { oneLine } from '../refusal.ts'
import { readToken } from '../stored-token.ts'
import { apiCall, type Caller, dataOf } from './api.ts'
import { Creator, CREATOR_PATH, limitsOf } from './creator.ts'
import { TIKTOK_ERRORS } from './errors.ts'

const User = z.object({ user: z.object({ open_id: z.string().min(1) }) })

/** Whose token it is, and what TikTok lets this creator do. */
export async function identify(
  { credentials, settings }: Pick<IdentifyInput, 'credentials'> & { settings: Settings },
  deps?: HttpDeps,
): Promise<Identity> {
  const { accessToken, secrets, expiresAt } = readToken(credentials)
  const caller = { settings, token: accessToken }
  const url = addressOf(settings['apiUrl'] ?? '', '/user/info/', { fields: 'open_id' })
  const headers = { authorization: `Bearer ${accessToken}` }
  const answer = await ask('TikTok', { method: 'GET', url, headers }, deps)
  const user = dataOf(User, answer)?.user
  if (!user) throw refused(answer, 'refused')
  const creator = await readCreator(caller, 'refused', deps)
  return {
    account: user.open_id,
    username: creator.creator_username,
    name: creator.creator_nickname?.trim() || creator.creator_username,
    avatarUrl: webAddress(creator.creator_avatar_url),
    rules: {},
    limits: limitsOf(creator),
    secrets,
    expiresAt,
  }
}

/** What TikTok lets the creator do now. */
export async function readLimits(
  input: AccountInput,
  deps?: HttpDeps,
): Promise<{ rules: Record<string, never>; limits: Limits }> {
  return { rules: {}, limits: limitsOf(await readCreator(input, 'unavailable', deps)) }
}

const LABELS = new Map([
  ['PUBLIC_TO_EVERYONE', 'Everyone'],
  ['MUTUAL_FOLLOW_FRIENDS', 'Friends'],
  ['FOLLOWER_OF_CREATOR', 'Followers'],
  ['SELF_ONLY', 'Only you'],
])

/** Who may see a post, as far as the creator may choose. */
export async function choices(input: AccountInput, deps?: HttpDeps): Promise<Choices[]> {
  const { privacy_level_options: levels } = await readCreator(input, 'unavailable', deps)
  const known = levels.filter((level) => LABELS.has(level))
  const offered = known.map((value) => ({ value, label: LABELS.get(value) ?? value }))
  return [{ field: 'tiktok.privacyLevel', choices: offered }]
}

async function readCreator(
  caller: Caller,
  otherwise: ConnectError['kind'],
  deps?: HttpDeps,
): Promise<Creator> {
  const answer = await ask('TikTok', apiCall(caller, CREATOR_PATH, {}), deps)
  const creator = dataOf(Creator, answer)
  if (!creator) throw refused(answer, otherwise)
  return creator
}

/** That a creator has posted enough for a day says nothing about the credentials. */
function refused(answer: HttpResponse, otherwise: ConnectError['kind']): ConnectError {
  const { code, message } = TIKTOK_ERRORS.read(answer.text)
  const isBusy = /^spam_risk_too_many|^reached_active_user_cap$|^rate_limit|^internal/.test(
    code ?? '',
  )
  const said = oneLine(message || code || `status ${answer.status}`)
  return new ConnectError(isBusy ? 'unavailable' : otherwise, `TikTok refuses the access: ${said}`)
}
