import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { authenticate, tokenOf } from '../../graph/access.ts'
import { refuse, refuseParameter, refuseUnknown } from '../../graph/errors.ts'
import { fieldsOf, select } from '../../graph/fields.ts'
import { newGraphId } from '../../graph/ids.ts'
import type { Part } from '../../ledger.ts'
import { APP, openProvider, type Provider } from '../../oauth/provider.ts'
import type { Account, Token } from '../../oauth/state.ts'
import type { World } from '../../stand-in.ts'
import { openState, type State } from './state.ts'

export const VERSION = 'v25.0'
export const SCOPES = ['pages_show_list', 'pages_manage_posts', 'pages_read_engagement']
const LONG_SECONDS = 60 * 86_400
const MOST = 100

/** The stand-in of Facebook: people, who may post to every Page here, the Pages, and what is on them. */
export type Facebook = {
  world: World
  people: Provider
  pages: Provider
  part: Part<State, Parameters<ReturnType<typeof openState>['record']>[0]>
}

export function openFacebookState(world: World): Facebook {
  const options = {
    name: 'Facebook',
    authorizePath: `/${VERSION}/dialog/oauth`,
    scopeSeparator: ',' as const,
    requiresPkce: false,
    codeSeconds: 600,
    rotates: false,
    newAccountId: newGraphId,
  }
  return {
    world,
    people: openProvider(world, { ...options, part: 'FACEBOOK-people', accessSeconds: 3600 }),
    pages: openProvider(world, { ...options, part: 'FACEBOOK-pages', accessSeconds: null }),
    part: openState(world.ledger),
  }
}

/** The Page in whose name a call is made. */
export function ownPage({ pages }: Facebook, call: Call): Account {
  const { account } = authenticate(pages, call, SCOPES)
  const id = call.params['page'] ?? ''
  if (id !== 'me' && id !== account.id) refuseUnknown(id)
  return account
}

/** `GET /:version/oauth/access_token`: a token of a person for a code, and one of 60 days for that. */
export function exchange({ people }: Facebook, call: Call): Answer {
  const fields = fieldsOf(call)
  if (fields['client_id'] !== APP.id)
    refuse({ message: 'Error validating application. Invalid application ID.', code: 101 })
  if (fields['client_secret'] !== APP.secret)
    refuse({ message: 'Error validating client secret.', code: 1 })
  if (fields['grant_type'] === 'fb_exchange_token') {
    const standing = people.standing(fields['fb_exchange_token'])
    if (standing.standing !== 'good')
      refuse({ message: 'Error validating access token', code: 190 })
    const { accountId, scopes } = standing.token
    return answer(people.issue(accountId, scopes, undefined, LONG_SECONDS), LONG_SECONDS)
  }
  const token = people.exchange({
    code: fields['code'] ?? '',
    redirectUri: fields['redirect_uri'] ?? '',
  })
  if (!token)
    refuse({
      message: 'This authorization code has been used or has expired.',
      code: 100,
      subcode: 36009,
    })
  return answer(token, 3600)
}

function answer({ accessToken }: Token, seconds: number): Answer {
  const body = { access_token: accessToken, token_type: 'bearer', expires_in: seconds }
  return jsonAnswer(200, body)
}

/** `GET /me/accounts`: the Pages of a person, each with a token of its own. */
export function listPages(facebook: Facebook, call: Call): Answer {
  const { token } = authenticate(facebook.people, call, ['pages_show_list'])
  const { limit, after } = fieldsOf(call)
  const from = Number(after ?? 0)
  const to = from + Math.min(Number(limit ?? 25), MOST)
  const all = facebook.pages.accounts()
  const data = all.slice(from, to).map((page) =>
    select(
      call,
      {
        ...pageView(page),
        access_token: facebook.pages.issue(page.id, token.scopes).accessToken,
        tasks: ['ADVERTISE', 'ANALYZE', 'CREATE_CONTENT', 'MESSAGING', 'MODERATE', 'MANAGE'],
      },
      ['id', 'name', 'access_token', 'category', 'tasks'],
    ),
  )
  const cursors = { before: String(from), after: String(to) }
  const next = to < all.length ? { next: `${facebook.world.baseUrl()}/${VERSION}/me/accounts` } : {}
  return jsonAnswer(200, { data, paging: { cursors, ...next } })
}

/** `GET /me`: the person or the Page whose token it is. Only a Page has a category. */
export function showMe({ people, pages }: Facebook, call: Call): Answer {
  const standing = people.standing(tokenOf(call))
  if (standing.standing === 'good') {
    const { id, username } = standing.account
    const person = { id, name: username, picture: PICTURE }
    if (fieldsOf(call)['fields']?.includes('category'))
      refuseParameter('Tried accessing nonexisting field (category) on node type (User)')
    return jsonAnswer(200, select(call, person, ['name']))
  }
  const { account } = authenticate(pages, call, [])
  return jsonAnswer(200, select(call, pageView(account), ['name']))
}

export function pageView({ id, username }: Account) {
  return { id, name: username, username, category: 'Software', picture: PICTURE }
}

const PICTURE = { data: { height: 50, is_silhouette: true, width: 50 } }
