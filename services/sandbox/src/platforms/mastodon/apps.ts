import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { randomText } from '../../random-text.ts'
import { readForm } from '../../read-form.ts'
import type { Instance } from './instance.ts'
import { refuse, refuseInvalid } from './refusals.ts'
import { readScopes } from './scopes.ts'
import type { App } from './state.ts'

export const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob'

const Fields = z.object({
  client_name: z.string().catch(''),
  redirect_uris: z.union([z.string(), z.array(z.string())]).catch(''),
  scopes: z.string().optional().catch(undefined),
  website: z.string().optional().catch(undefined),
})

/** `POST /api/v1/apps` */
export async function registerApp(instance: Instance, call: Call): Promise<Answer> {
  const form = await readForm(call)
  if (!form) refuse(400, 'Bad Request')
  const fields = Fields.parse(form.fields)
  const given = fields.redirect_uris
  const redirectUris = typeof given === 'string' ? given.split(/\s+/).filter(Boolean) : given
  const scopes = readScopes(fields.scopes)
  const problems = [
    fields.client_name.trim() === '' && "Application name can't be blank",
    redirectUris.length === 0 && "Redirect URI can't be blank",
    !redirectUris.every(isRedirectUri) && 'Redirect URI must be an absolute URI.',
    !scopes && "Scopes doesn't match configured on the server.",
  ].filter((problem) => problem !== false)
  if (problems.length > 0 || !scopes) refuseInvalid(...problems)
  const app: App = {
    id: instance.newId(),
    clientId: randomText(),
    clientSecret: randomText(),
    name: fields.client_name.trim(),
    website: fields.website || null,
    redirectUris,
    scopes,
  }
  instance.record({ type: 'app-registered', app })
  return jsonAnswer(200, {
    id: app.id,
    name: app.name,
    website: app.website,
    scopes: app.scopes,
    redirect_uris: app.redirectUris,
    redirect_uri: app.redirectUris.join('\n'),
    client_id: app.clientId,
    client_secret: app.clientSecret,
    client_secret_expires_at: 0,
    vapid_key: '',
  })
}

export function findApp(instance: Instance, clientId: string | undefined): App | undefined {
  return [...instance.state.apps.values()].find((app) => app.clientId === clientId)
}

function isRedirectUri(text: string): boolean {
  if (text === OUT_OF_BAND) return true
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && !['javascript:', 'data:', 'vbscript:'].includes(url.protocol)
}
