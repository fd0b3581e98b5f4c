import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { APP } from '../../oauth/provider.ts'
import { authorizeOperations } from '../../oauth/authorize-page.ts'
import { readForm } from '../../read-form.ts'
import type { Operation } from '../../stand-in.ts'
import { requireUserAgent } from './authenticate.ts'
import type { Discord } from './server.ts'
import { guildView } from './views.ts'

/** Scopes that add the app to a guild and need no access of a person. */
const WITHOUT_ACCESS = ['bot', 'applications.commands']

/**
 * The page where a person adds the bot to a guild: the guild is the account that is chosen. The way back names it and
 * the permissions. Who asks for the bot alone is not sent back, as on Discord.
 */
export function oauthOperations(discord: Discord): Operation[] {
  const [show, decide] = authorizeOperations(discord, discord.provider)
  if (!show || !decide) throw new Error('The page has a form and a button.')
  const token = (path: string): Operation => ({
    method: 'post',
    path,
    kind: 'auth',
    handle: (call) => issueToken(discord, call),
    accountOf: async (call) => discord.provider.ownerOf((await fieldsOf(call))['code'] ?? ''),
  })
  return [
    show,
    { ...decide, handle: (call) => addBot(discord, call, decide) },
    token('/api/oauth2/token'),
    token('/api/v10/oauth2/token'),
    {
      method: 'post',
      path: '/api/oauth2/token/revoke',
      kind: 'auth',
      handle: (call) => revokeToken(discord, call),
    },
  ]
}

async function addBot(discord: Discord, call: Call, decide: Operation): Promise<Answer> {
  const answer = await decide.handle(call)
  const location = answer.headers['location']
  if (location === undefined) return answer
  const back = new URL(location)
  const fields = await fieldsOf(call)
  const scopes = (fields['scope'] ?? '').split(' ')
  if (!back.searchParams.has('code') || !scopes.includes('bot')) return answer
  const guildId = fields['sandbox_account'] ?? ''
  discord.record({ type: 'bot-added', guildId })
  if (scopes.every((scope) => WITHOUT_ACCESS.includes(scope)))
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'Authorized\n' }
  back.searchParams.set('guild_id', guildId)
  back.searchParams.set('permissions', fields['permissions'] ?? '0')
  return { ...answer, headers: { ...answer.headers, location: back.href } }
}

/** `POST /oauth2/token`: the app's id and secret by HTTP Basic or in the form. */
async function issueToken(discord: Discord, call: Call): Promise<Answer> {
  requireUserAgent(call)
  const fields = await fieldsOf(call)
  if (!isForm(call)) return oauthError(400, 'invalid_request')
  if (!isOurApp(call, fields)) return oauthError(401, 'invalid_client')
  const { grant_type: type, code = '', redirect_uri: redirectUri = '' } = fields
  if (type !== 'authorization_code' && type !== 'refresh_token')
    return oauthError(400, 'unsupported_grant_type')
  const token =
    type === 'refresh_token'
      ? discord.provider.refresh(fields['refresh_token'] ?? '')
      : discord.provider.exchange({ code, redirectUri, verifier: fields['code_verifier'] })
  if (!token) return oauthError(400, 'invalid_grant', 'Invalid "code" in request.')
  const guild = discord.provider.account(token.accountId)
  const isBotAdded = type === 'authorization_code' && token.scopes.includes('bot')
  return jsonAnswer(200, {
    token_type: 'Bearer',
    access_token: token.accessToken,
    expires_in: 604_800,
    refresh_token: token.refreshToken,
    scope: token.scopes.join(' '),
    ...(isBotAdded && guild && { guild: guildView(guild) }),
  })
}

async function revokeToken(discord: Discord, call: Call): Promise<Answer> {
  requireUserAgent(call)
  const fields = await fieldsOf(call)
  if (!isOurApp(call, fields)) return oauthError(401, 'invalid_client')
  discord.provider.revokeToken(fields['token'] ?? '')
  return jsonAnswer(200, {})
}

function isForm({ headers }: Call): boolean {
  return (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
}

function isOurApp({ headers }: Call, fields: Record<string, string>): boolean {
  const pair = Buffer.from(`${APP.id}:${APP.secret}`).toString('base64')
  return (
    headers.authorization === `Basic ${pair}` ||
    (fields['client_id'] === APP.id && fields['client_secret'] === APP.secret)
  )
}

function oauthError(status: number, error: string, description?: string): Answer {
  return jsonAnswer(status, { error, ...(description && { error_description: description }) })
}

async function fieldsOf(call: Call): Promise<Record<string, string>> {
  const form = await readForm(call)
  return Object.fromEntries(
    Object.entries(form?.fields ?? {}).map(([name, value]) => [name, String(value)]),
  )
}
