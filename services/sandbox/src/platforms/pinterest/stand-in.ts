import { bearerOf } from '../../call.ts'
import { APP } from '../../oauth/provider.ts'
import type { LivePost, StandIn, StandInEntry, World } from '../../stand-in.ts'
import { boardsOf, makeBoard } from './boards.ts'
import { openMeter, rateLimited } from './meter.ts'
import { pinterestOperations } from './operations.ts'
import { errorAnswer } from './refusals.ts'
import { openPinterest, type Pinterest } from './server.ts'
import type { Pin } from './state.ts'
import { fileUrl, pinUrl } from './views.ts'

const SCOPES = ['user_accounts:read', 'boards:read', 'boards:write', 'pins:read', 'pins:write']
/** What every account has from the start. */
const BOARDS = ['Boats', 'Recipes']

export const pinterest: StandInEntry = {
  platform: 'PINTEREST',
  name: 'Pinterest',
  path: 'pinterest',
  open: openStandIn,
  settings: (baseUrl) => ({
    PINTEREST_AUTHORIZE_URL: `${baseUrl}/oauth`,
    PINTEREST_TOKEN_URL: `${baseUrl}/v5/oauth/token`,
    PINTEREST_API_URL: `${baseUrl}/v5`,
    PINTEREST_WEB_URL: baseUrl,
    PINTEREST_CLIENT_ID: APP.id,
    PINTEREST_CLIENT_SECRET: APP.secret,
  }),
}

/** A stand-in of Pinterest: its pages, its API and its storage for uploads on one host. */
function openStandIn(world: World): StandIn {
  const server = openPinterest(world)
  const { provider } = server
  return {
    operations: pinterestOperations(server),
    accountOf: (call) => {
      const standing = provider.standing(bearerOf(call))
      return standing.standing === 'good' ? standing.account.id : undefined
    },
    meter: openMeter(world),
    broken: () => errorAnswer(500, 0, 'Something went wrong on our end. Sorry about that.'),
    rateLimited,
    expireAccess: (call) => {
      provider.expire(bearerOf(call))
      return errorAnswer(401, 2, 'Authentication failed.')
    },
    tooLarge: () => errorAnswer(413, 1, 'Request Entity Too Large'),
    notFound: () => errorAnswer(404, 11, 'API method not found.'),
    createAccount: (username) => {
      const account = provider.accountNamed(username)
      if (boardsOf(server, account.id).length === 0)
        for (const name of BOARDS) makeBoard(server, account.id, name)
      const { accessToken, refreshToken, expiresAt } = provider.issue(account.id, SCOPES)
      return {
        account: account.id,
        credentials: {
          accessToken,
          refreshToken: refreshToken ?? '',
          expiresAt: String(expiresAt),
        },
      }
    },
    accounts: () => provider.accounts().map(({ id, username }) => ({ account: id, username })),
    revoke: provider.revoke,
    live: () => [...server.state.pins.values()].map((pin) => liveOf(server, pin)),
  }
}

function liveOf(server: Pinterest, pin: Pin): LivePost {
  return {
    account: pin.accountId,
    id: pin.id,
    url: pinUrl(server, pin),
    text: pin.description ?? '',
    ...(pin.title !== null && { title: pin.title }),
    ...(pin.link !== null && { link: pin.link }),
    media: pin.files.map((file, index) => ({
      ...file,
      altText: index === 0 ? pin.altText : null,
      url: fileUrl(server, file),
    })),
    at: new Date(pin.createdAt).toISOString(),
  }
}
