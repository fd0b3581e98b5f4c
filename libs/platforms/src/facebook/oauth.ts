import { z } from 'zod'
import { webAddress } from '../addresses.ts'
import { ask } from '../ask.ts'
import { readCredentials, Secret } from '../credentials.ts'
import { graphUrl } from '../graph.ts'
import { isRefused } from '../graph-errors.ts'
import { askForGraphToken, askProfile, requireAlive } from '../graph-tokens.ts'
import { codeOf, requireSetting, withQuery } from '../oauth.ts'
import {
  ConnectError,
  type FreshToken,
  type GrantInput,
  type HttpDeps,
  type Identity,
  type IdentifyInput,
  type OAuth,
  type Settings,
  type TokenInput,
} from '../platform.ts'
import { readJson } from '../read-json.ts'

const NAME = 'Facebook'
const SCOPES = ['pages_show_list', 'pages_manage_posts', 'pages_read_engagement']
/** Most Pages of one grant, and how many are asked for at a time. */
const MAX_PAGES = 500
const PAGE_SIZE = 100

/**
 * One grant gives all Pages that the person chose, each with a token of its own that does not expire. A grant can only be
 * ended for all of them at once, so it is left to people.
 */
export const facebookOAuth: OAuth = {
  begin: async ({ settings, redirectUri, state }) => ({
    url: withQuery(settings['authorizeUrl'] ?? '', {
      client_id: requireSetting(settings, 'clientId', 'FACEBOOK_CLIENT_ID'),
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: SCOPES.join(','),
      state,
    }),
    kept: {},
  }),
  finish: async (input, deps) => {
    const userToken = await longLivedUserToken(input, deps)
    const pages = await listPages(input.settings, userToken, deps)
    if (pages.length === 0)
      throw new ConnectError(
        'refused',
        'There is no Facebook Page that this person may post to, or none was chosen.',
      )
    return pages.map(({ access_token: accessToken, ...page }) => identityOf(page, accessToken))
  },
}

/** Tokens of Pages do not expire when they come from a long-lived token of the person. */
async function longLivedUserToken(
  { settings, redirectUri, query }: GrantInput & { query: Record<string, string> },
  deps?: HttpDeps,
): Promise<string> {
  const app = {
    client_id: requireSetting(settings, 'clientId', 'FACEBOOK_CLIENT_ID'),
    client_secret: requireSetting(settings, 'clientSecret', 'FACEBOOK_CLIENT_SECRET'),
  }
  const exchange = (fields: Record<string, string>) =>
    askForGraphToken(
      NAME,
      { method: 'GET', url: withQuery(settings['tokenUrl'] ?? '', { ...app, ...fields }) },
      (status) => status === 400 || status === 401,
      deps,
    )
  const short = await exchange({ redirect_uri: redirectUri, code: codeOf(query, NAME) })
  const long = await exchange({
    grant_type: 'fb_exchange_token',
    fb_exchange_token: short.access_token,
  })
  return long.access_token
}

const Page = z.object({
  id: z.string().min(1),
  name: z.string().nullish(),
  username: z.string().nullish(),
  picture: z.object({ data: z.object({ url: z.string().nullish() }) }).nullish(),
})
type Page = z.infer<typeof Page>

const OwnPage = Page.extend({
  access_token: z.string().min(1),
  /** What the person may do there. */
  tasks: z.array(z.string()).nullish(),
})
type OwnPage = z.infer<typeof OwnPage>

const Pages = z.object({
  data: z.array(OwnPage),
  paging: z
    .object({
      next: z.string().nullish(),
      cursors: z.object({ after: z.string() }).nullish(),
    })
    .nullish(),
})

async function listPages(settings: Settings, token: string, deps?: HttpDeps): Promise<OwnPage[]> {
  const found: OwnPage[] = []
  for (let after: string | undefined; found.length < MAX_PAGES;) {
    const url = graphUrl(settings, '/me/accounts', {
      fields: 'id,name,username,access_token,tasks,picture{url}',
      limit: String(PAGE_SIZE),
      ...(after !== undefined && { after }),
    })
    const headers = { authorization: `Bearer ${token}` }
    const { status, text } = await ask(NAME, { method: 'GET', url, headers }, deps)
    const answer = status === 200 ? readJson(Pages, text) : undefined
    if (!answer)
      throw new ConnectError(
        isRefused(text) ? 'refused' : 'unavailable',
        `Facebook does not tell the Pages of this person (status ${status}).`,
      )
    found.push(...answer.data)
    after = answer.paging?.next ? answer.paging.cursors?.after : undefined
    if (after === undefined) break
  }
  return found.filter(({ tasks }) => !tasks || tasks.includes('CREATE_CONTENT'))
}

const Credentials = z.strictObject({ accessToken: Secret })

/** Whose token it is: it must be that of a Page, which has a category. */
export async function identify(
  { settings, credentials }: IdentifyInput & { settings: Settings },
  deps?: HttpDeps,
): Promise<Identity> {
  const { accessToken } = readCredentials(Credentials, credentials)
  const fields = 'id,name,username,category,picture{url}'
  const page = await askProfile({ name: NAME, settings, token: accessToken }, fields, Page, deps)
  return identityOf(page, accessToken)
}

function identityOf({ id, name, username, picture }: Page, accessToken: string): Identity {
  return {
    account: id,
    username: username || id,
    name: name?.trim() || username || id,
    avatarUrl: webAddress(picture?.data.url),
    rules: {},
    secrets: { accessToken },
    expiresAt: null,
  }
}

/** The stored token of the Page, which does not expire. Throws `ConnectError`. */
export async function freshToken(
  { settings, secrets, deadToken }: TokenInput,
  deps?: HttpDeps,
): Promise<FreshToken> {
  const token = secrets['accessToken']
  if (!token)
    throw new ConnectError('refused', 'There is no access token. Connect the channel again.')
  if (deadToken === token) await requireAlive(NAME, settings, token, deps)
  return { token, expiresAt: null }
}
