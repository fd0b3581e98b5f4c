import { randomBytes } from 'node:crypto'
import type { Request } from 'express'
import { z } from 'zod'
import type { Answer } from '../../platform.ts'
import { failure } from './manners.ts'
import { parseScopes } from './scopes.ts'
import type { App, Mastodon } from './tables.ts'

export const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob'
const Uris = z.union([z.array(z.string()), z.string().transform((text) => text.split(/\s+/))])
const NewApp = z.object({
  client_name: z.string().trim().min(1),
  redirect_uris: Uris,
  scopes: z.string().default('read'),
  website: z.string().nullish(),
})

/** POST /api/v1/apps: every client registers itself with every instance. */
export function createApp(mastodon: Mastodon, { body }: Request): Answer {
  const parsed = NewApp.safeParse(body)
  if (!parsed.success)
    return failure(
      422,
      parsed.error.issues[0]?.path[0] === 'client_name'
        ? "Validation failed: Application name can't be blank"
        : "Validation failed: Redirect URI can't be blank",
    )
  const { client_name: name, redirect_uris: uris, scopes: wanted, website = null } = parsed.data
  const redirectUris = uris.filter((uri) => uri !== '')
  if (redirectUris.length === 0)
    return failure(422, "Validation failed: Redirect URI can't be blank")
  if (!redirectUris.every((uri) => uri === OUT_OF_BAND || URL.canParse(uri)))
    return failure(422, 'Validation failed: Redirect URI must be an absolute URI.')
  const scopes = parseScopes(wanted)
  if (!scopes)
    return failure(422, "Validation failed: Scopes doesn't match configured on the server.")
  const clientId = randomBytes(32).toString('base64url')
  const clientSecret = randomBytes(32).toString('base64url')
  mastodon.apps.put(clientId, { name, website, clientSecret, redirectUris, scopes })
  return {
    status: 200,
    body: {
      id: String(mastodon.apps.all().length),
      name,
      website,
      scopes,
      redirect_uri: redirectUris.join('\n'),
      redirect_uris: redirectUris,
      client_id: clientId,
      client_secret: clientSecret,
      client_secret_expires_at: 0,
    },
  }
}

const Client = z.object({ client_id: z.string(), client_secret: z.string() })

/** The client that a call proves to be, by its secret in the body or in a Basic header. */
export function clientOf(
  { apps }: Mastodon,
  request: Request,
): (App & { clientId: string }) | undefined {
  const header = /^Basic (\S+)$/i.exec(request.get('authorization') ?? '')?.[1]
  const [id, secret] = Buffer.from(header ?? '', 'base64')
    .toString()
    .split(':')
  const credentials = header ? { client_id: id, client_secret: secret } : (request.body as unknown)
  const client = Client.safeParse(credentials).data
  const app = apps.get(client?.client_id ?? '')
  return client && app?.clientSecret === client.client_secret
    ? { ...app, clientId: client.client_id }
    : undefined
}
