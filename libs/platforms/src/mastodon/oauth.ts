import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { ask } from '../ask.ts'
import { askForToken, codeOf, pkce, withQuery } from '../oauth.ts'
import { ConnectError, type OAuth } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { oneLine } from '../refusal.ts'
import { identify } from './identify.ts'

const NAME = 'The Mastodon instance'
const SCOPES = 'read:accounts read:statuses write:statuses write:media'

const App = z.object({ client_id: z.string().min(1), client_secret: z.string().min(1) })
const Refusal = z.object({ error: z.string() })
const Kept = z.object({ clientId: z.string(), clientSecret: z.string(), verifier: z.string() })

/**
 * Anybody may register an app at an instance, so there is one for each grant: nobody has to keep a secret for each
 * instance of the world, and a grant can be ended with the secret of its own app.
 */
export const mastodonOAuth: OAuth = {
  async begin({ baseUrl, redirectUri, state }, deps) {
    const form = { client_name: 'Herald', redirect_uris: redirectUri, scopes: SCOPES }
    const { status, text } = await ask(NAME, post(baseUrl, '/api/v1/apps', form), deps)
    const app = status === 200 ? readJson(App, text) : undefined
    if (!app) {
      const said = oneLine(readJson(Refusal, text)?.error ?? `status ${status}`)
      throw new ConnectError('refused', `${NAME} registers no app at this address: ${said}.`)
    }
    const { verifier, challenge } = pkce()
    const url = withQuery(addressOf(baseUrl, '/oauth/authorize'), {
      response_type: 'code',
      client_id: app.client_id,
      redirect_uri: redirectUri,
      scope: SCOPES,
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    return { url, kept: { clientId: app.client_id, clientSecret: app.client_secret, verifier } }
  },

  async finish({ baseUrl, redirectUri, kept, query }, deps) {
    const code = codeOf(query, NAME)
    const { clientId, clientSecret, verifier } = Kept.parse(kept)
    const { access_token: accessToken } = await askForToken(
      {
        name: NAME,
        url: addressOf(baseUrl, '/oauth/token'),
        form: {
          grant_type: 'authorization_code',
          code,
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uri: redirectUri,
          code_verifier: verifier,
        },
      },
      deps,
    )
    const identity = await identify({ baseUrl, credentials: { accessToken } }, deps)
    return [{ ...identity, secrets: { accessToken, clientId, clientSecret } }]
  },

  async revoke({ baseUrl, secrets }, deps) {
    const { accessToken, clientId, clientSecret } = secrets
    // A token that was made in the account's settings belongs to an app that Herald does not know.
    if (!accessToken || !clientId || !clientSecret) return
    const form = { client_id: clientId, client_secret: clientSecret, token: accessToken }
    const { status } = await ask(NAME, post(baseUrl, '/oauth/revoke', form), deps)
    if (status !== 200)
      throw new ConnectError('refused', `${NAME} ended no grant: status ${status}.`)
  },
}

function post(baseUrl: string, path: string, form: Record<string, string>) {
  return {
    method: 'POST' as const,
    url: addressOf(baseUrl, path),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  }
}
