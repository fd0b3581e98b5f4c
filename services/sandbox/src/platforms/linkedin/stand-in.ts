import { bearerOf } from '../../call.ts'
import { APP } from '../../oauth/provider.ts'
import type { LivePost, NewAccount, StandIn, StandInEntry, World } from '../../stand-in.ts'
import { openMeter, tooMany } from './meter.ts'
import { linkedinOperations } from './operations.ts'
import { errorAnswer } from './refusals.ts'
import {
  assetsOf,
  fileUrl,
  openSite,
  ORGANIZATION,
  organizationOf,
  PERSON,
  postUrl,
  type Site,
} from './site.ts'
import type { Post } from './state.ts'

const SCOPES =
  'openid profile w_member_social w_organization_social r_organization_social rw_organization_admin'

export const linkedin: StandInEntry = {
  platform: 'LINKEDIN',
  name: 'LinkedIn',
  path: 'linkedin',
  open: openLinkedin,
  settings: (baseUrl) => ({
    LINKEDIN_AUTHORIZE_URL: `${baseUrl}/oauth/v2/authorization`,
    LINKEDIN_TOKEN_URL: `${baseUrl}/oauth/v2/accessToken`,
    LINKEDIN_API_URL: baseUrl,
    LINKEDIN_WEB_URL: baseUrl,
    LINKEDIN_CLIENT_ID: APP.id,
    LINKEDIN_CLIENT_SECRET: APP.secret,
  }),
}

/** A stand-in of LinkedIn. */
function openLinkedin(world: World): StandIn {
  const site = openSite(world)
  const { provider } = site
  return {
    operations: linkedinOperations(site),
    accountOf: (call) => {
      const standing = provider.standing(bearerOf(call))
      return standing.standing === 'good' ? `${PERSON}${standing.account.id}` : undefined
    },
    meter: openMeter(world),
    broken: () => errorAnswer(500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error'),
    rateLimited: tooMany,
    expireAccess: (call) => {
      provider.expire(bearerOf(call))
      const message = 'The token used in the request has expired'
      return errorAnswer(401, 'EXPIRED_ACCESS_TOKEN', message, { serviceErrorCode: 65_602 })
    },
    tooLarge: () => errorAnswer(413, 'REQUEST_TOO_LARGE', 'Request entity too large'),
    notFound: (path) =>
      errorAnswer(404, 'RESOURCE_NOT_FOUND', `No virtual resource found: ${path}`),
    createAccount: (username) => createAccount(site, username),
    accounts: () =>
      provider.accounts().flatMap(({ id, username }) => {
        const page = organizationOf(site, id)
        return [
          { account: `${PERSON}${id}`, username },
          { account: `${ORGANIZATION}${page.id}`, username: page.name },
        ]
      }),
    revoke: (account) => provider.revoke(memberOf(site, account)),
    live: () => [...site.state.posts.values()].map((post) => liveOf(site, post)),
  }
}

/** A name that ends in `page` is that of the page of the member with the rest of the name. */
function createAccount(site: Site, username: string | undefined): NewAccount {
  const { provider } = site
  const [, admin] = /^(.{3,})page$/.exec(username ?? '') ?? []
  const member = provider.accountNamed(admin ?? username)
  const page = organizationOf(site, member.id)
  const account = admin === undefined ? `${PERSON}${member.id}` : `${ORGANIZATION}${page.id}`
  const { accessToken, refreshToken, expiresAt } = provider.issue(member.id, SCOPES.split(' '))
  const credentials = {
    accessToken,
    account,
    ...(refreshToken !== null && { refreshToken }),
    ...(expiresAt !== null && { expiresAt: String(expiresAt) }),
  }
  return { account, credentials }
}

function memberOf({ state }: Site, account: string): string {
  if (account.startsWith(PERSON)) return account.slice(PERSON.length)
  const id = account.slice(ORGANIZATION.length)
  return [...state.organizations.values()].find((page) => page.id === id)?.adminId ?? ''
}

function liveOf(site: Site, post: Post): LivePost {
  return {
    account: post.author,
    id: post.urn,
    url: postUrl(site, post),
    text: post.text,
    media: assetsOf(site, post).flatMap((asset) => {
      if (!asset.whole) return []
      const { mimeType, sizeBytes, sha256, width, height } = asset.whole
      const { altText } = asset
      return [{ mimeType, sizeBytes, sha256, width, height, altText, url: fileUrl(site, asset) }]
    }),
    at: new Date(post.createdAt).toISOString(),
  }
}
