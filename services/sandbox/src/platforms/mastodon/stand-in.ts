import { bearerOf } from '../../call.ts'
import { freeUsername } from '../../free-username.ts'
import { randomText } from '../../random-text.ts'
import type { LivePost, NewAccount, StandIn, StandInEntry, World } from '../../stand-in.ts'
import { type Instance, openInstance } from './instance.ts'
import { openMeter, rateLimited } from './meter.ts'
import { mastodonOperations } from './operations.ts'
import { errorAnswer } from './refusals.ts'
import type { Status } from './state.ts'
import { fileUrl, mediaOf, statusUrl } from './views.ts'

export const mastodon: StandInEntry = {
  platform: 'MASTODON',
  name: 'Mastodon',
  path: 'mastodon',
  open: openMastodon,
}

/** A stand-in of one Mastodon instance. */
function openMastodon(world: World): StandIn {
  const instance = openInstance(world)
  return {
    operations: mastodonOperations(instance),
    accountOf: (call) => instance.state.tokens.get(bearerOf(call) ?? '')?.accountId ?? undefined,
    meter: openMeter(world),
    broken: () => errorAnswer(500, 'An unexpected error occurred'),
    rateLimited: () => rateLimited(world),
    expireAccess: () => errorAnswer(401, 'The access token is invalid'),
    tooLarge: () => ({
      status: 413,
      headers: { 'content-type': 'text/html' },
      body: '<html><head><title>413 Request Entity Too Large</title></head></html>\n',
    }),
    notFound: () => errorAnswer(404, 'Not Found'),
    createAccount: (username) => createAccount(instance, username),
    accounts: () =>
      [...instance.state.accounts.values()].map(({ id, username }) => ({ account: id, username })),
    revoke: (account) => {
      const all = [...instance.state.tokens.values()]
      const tokens = all.filter((one) => one.accountId === account).map(({ token }) => token)
      instance.record({ type: 'tokens-revoked', tokens })
    },
    live: () => [...instance.state.statuses.values()].map((status) => liveOf(instance, status)),
  }
}

function createAccount(instance: Instance, given: string | undefined): NewAccount {
  const accounts = [...instance.state.accounts.values()]
  const username = given ?? freeUsername(accounts.map((account) => account.username))
  const existing = accounts.find((account) => account.username === username)
  const createdAt = new Date(instance.now()).toISOString()
  const account = existing ?? { id: instance.newId(), username, createdAt }
  if (!existing) instance.record({ type: 'account-made', account })
  const token = randomText()
  instance.record({
    type: 'token-issued',
    token: { token, appId: null, accountId: account.id, scopes: ['read', 'write'] },
  })
  return { account: account.id, credentials: { accessToken: token } }
}

function liveOf(instance: Instance, status: Status): LivePost {
  return {
    account: status.accountId,
    id: status.id,
    url: statusUrl(instance, status),
    text: status.text,
    media: mediaOf(instance, status).map((media) => ({
      mimeType: media.mimeType,
      sizeBytes: media.sizeBytes,
      sha256: media.sha256,
      width: media.width,
      height: media.height,
      altText: media.description,
      url: fileUrl(instance, media),
    })),
    at: status.createdAt,
  }
}
