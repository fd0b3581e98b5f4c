import type { ChannelRules } from '@herald/contracts/platforms'
import {
  ConnectError,
  type Connector,
  type Identity,
  type Limits,
  type PlatformDefinition,
  type TokenInput,
} from '@herald/platforms/platform'

/**
 * A platform that gives a new refresh token with every renewal, and takes the use of an old one for a theft: the whole
 * grant is dead then. It is in memory, and plays X.
 */
export type RotatingPlatform = {
  definition: PlatformDefinition
  /** Calls by name, in order. */
  calls: string[]
  /** Nobody answers. */
  isDown: boolean
  /** Answers to renewals wait for it. */
  gate: Promise<unknown>
  /** How long a new token is good for. */
  lifetimeMs: number
  /** The accounts that the next person who comes back has granted. */
  granted: string[]
  told: { rules: Partial<ChannelRules>; limits: Limits }
  /** What has been ended by Herald. */
  revoked: string[]
  /** The owner of the account has ended all grants. */
  endGrants: () => void
  thefts: number
}

type Family = { account: string; isDead: boolean; current: string }

const DEFAULTS: ChannelRules = {
  requiresMedia: false,
  requiresVideo: false,
  maxImages: 4,
  maxChars: 280,
  requiredFields: [],
}

/** Makes it, with nobody's grants. */
export function rotatingPlatform(now: () => number): RotatingPlatform {
  const families = new Map<string, Family>()
  let count = 0

  const secretsOf = (family: Family, refreshToken: string) => {
    family.current = refreshToken
    const expiresAt = now() + platform.lifetimeMs
    const accessToken = `access-${count}-of-${family.account}`
    return { accessToken, refreshToken, expiresAt: String(expiresAt) }
  }
  const grant = (account: string): Identity => {
    count += 1
    const family = { account, isDead: false, current: '' }
    const refreshToken = `refresh-${count}-of-${account}`
    families.set(refreshToken, family)
    const secrets = secretsOf(family, refreshToken)
    return {
      account,
      username: `@${account}`,
      name: `${account} <b>of</b> X`,
      avatarUrl: null,
      rules: {},
      limits: { tier: 'basic' },
      secrets,
      expiresAt: Number(secrets.expiresAt),
    }
  }
  const call = (name: string) => {
    platform.calls.push(name)
    if (platform.isDown) throw new ConnectError('unavailable', 'X does not answer.')
  }
  const rotate = ({ secrets }: TokenInput) => {
    const { refreshToken = '' } = secrets
    const family = families.get(refreshToken)
    if (family && family.current !== refreshToken) {
      platform.thefts += 1
      family.isDead = true
    }
    if (!family || family.isDead) throw new ConnectError('refused', 'X has ended the grant.')
    count += 1
    const next = `refresh-${count}-of-${family.account}`
    families.set(next, family)
    return secretsOf(family, next)
  }

  const connector: Connector = {
    settles: 'none',
    identify: async ({ credentials }) => {
      call('identify')
      return grant(credentials['account'] ?? '')
    },
    freshToken: async (input, deps) => {
      const { accessToken = '', expiresAt } = input.secrets
      const isLong = Number(expiresAt) - input.now > (input.aheadMs ?? 60_000)
      if (isLong && accessToken !== input.deadToken)
        return { token: accessToken, expiresAt: Number(expiresAt) }
      if (deps?.signal?.aborted) throw new ConnectError('unavailable', 'There is no time.')
      call('refresh')
      await platform.gate
      const secrets = rotate(input)
      return { token: secrets.accessToken, secrets, expiresAt: Number(secrets.expiresAt) }
    },
    oauth: {
      begin: async ({ state, redirectUri }) => {
        call('begin')
        const query = new URLSearchParams({ state, redirect_uri: redirectUri })
        return {
          url: `https://x.example/authorize?${query.toString()}`,
          kept: { verifier: `verifier-${platform.calls.length}` },
        }
      },
      finish: async ({ query, kept, redirectUri }) => {
        call(`finish ${query['code']} ${kept['verifier']} ${redirectUri}`)
        if (query['error'])
          throw new ConnectError('refused', `X did not grant access: ${query['error']}.`)
        return platform.granted.map(grant)
      },
      revoke: async ({ secrets }) => {
        call('revoke')
        platform.revoked.push(secrets['refreshToken'] ?? '')
      },
    },
    readLimits: async ({ token }) => {
      call(`readLimits ${token}`)
      return platform.told
    },
    choices: async ({ query, token }) => {
      call(`choices ${token} ${JSON.stringify(query)}`)
      if ([...families.values()].some(({ isDead }) => isDead))
        throw new ConnectError('refused', 'X does not accept the token.')
      const boards = [{ value: '1', label: 'Bread' }]
      const field = 'reddit.flairId'
      const { subreddit } = query
      return [
        { field: 'pinterest.boardId', choices: boards },
        subreddit === undefined
          ? { field, choices: [], needs: 'subreddit' }
          : { field, choices: [{ value: 'f', label: `Flair of ${subreddit}` }] },
      ]
    },
    prepare: () => Promise.reject(new Error('Nothing is published here.')),
    commit: () => Promise.reject(new Error('Nothing is published here.')),
    lookUp: () => Promise.reject(new Error('Nothing is published here.')),
  }
  const platform: RotatingPlatform = {
    definition: {
      platform: 'X',
      name: 'X',
      rules: { platform: 'X', name: 'X', defaults: DEFAULTS, check: () => [], countText: () => 0 },
      settings: {},
      secretSettings: [],
      pace: { platform: 1, account: 1 },
      connector,
    },
    calls: [],
    isDown: false,
    gate: Promise.resolve(),
    lifetimeMs: 7_200_000,
    granted: ['anna'],
    told: { rules: {}, limits: { tier: 'basic' } },
    revoked: [],
    endGrants: () => families.forEach((family) => (family.isDead = true)),
    thefts: 0,
  }
  return platform
}
