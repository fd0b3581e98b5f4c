import { z } from 'zod'
import { ChannelId, OrganizationId } from './ids.ts'
import { ChannelRules, Platform } from './platforms.ts'
import { PROJECTION_OPERATIONS } from './projections.ts'
import { contract } from './rpc.ts'
import { Instant } from './time.ts'

/** Whether Herald can post to a channel. */
export const ChannelStatus = z.enum(['active', 'reauth_required', 'disconnected']).meta({
  id: 'ChannelStatus',
  description:
    'Whether Herald can post to the channel; with `reauth_required` a person must connect it again.',
})
export type ChannelStatus = z.infer<typeof ChannelStatus>

/** A connected social account (specification, "Channel"). */
export const Channel = z
  .strictObject({
    id: ChannelId,
    platform: Platform,
    platformName: z.string().meta({ description: 'The name of the platform for people.' }),
    name: z.string().meta({ description: 'The name of the account for people.' }),
    username: z.string().meta({ description: 'The name of the account on its platform.' }),
    avatarUrl: z.string().nullable(),
    status: ChannelStatus,
    rules: ChannelRules,
  })
  .meta({ id: 'Channel' })
export type Channel = z.infer<typeof Channel>

/** Which channels a caller may see: all of the organization's, or only these. */
export const ChannelRestriction = z.union([z.literal('all'), z.array(ChannelId)])
export type ChannelRestriction = z.infer<typeof ChannelRestriction>

/**
 * What a publisher needs to speak to the platform for one channel. `baseUrl` is the platform's or instance's
 * address without a trailing slash; `token` is a fresh bearer token; `account` is the platform's id of the account.
 */
export const ChannelAccess = z.object({
  channelId: ChannelId,
  platform: Platform,
  baseUrl: z.url(),
  token: z.string(),
  account: z.string(),
  username: z.string(),
  /** The platform's addresses and other settings that are no secret. */
  settings: z.record(z.string(), z.string()).default({}),
  /** What the platform allows this account beyond the rules, in the platform's own form. */
  limits: z.record(z.string(), z.unknown()).default({}),
})
export type ChannelAccess = z.infer<typeof ChannelAccess>

/** A channel as a post is checked against it. */
export const ChannelForPosting = Channel.extend({
  /** What the platform allows this account beyond the rules, in the platform's own form: see its folder. */
  limits: z.record(z.string(), z.unknown()).default({}),
})
export type ChannelForPosting = z.infer<typeof ChannelForPosting>

/** What can be chosen for the options of a post to one channel. */
export const ChannelOptions = z
  .strictObject({
    data: z.array(
      z.strictObject({
        field: z.string().meta({
          description: 'The option: a dotted path into the body of POST /posts.',
        }),
        choices: z.array(
          z.strictObject({
            value: z.string().meta({ description: 'What is sent.' }),
            label: z.string().meta({ description: 'The same for people.' }),
          }),
        ),
        needs: z.string().optional().meta({
          description: 'The parameter of the query without which the choices are not known.',
        }),
      }),
    ),
  })
  .meta({ id: 'ChannelOptions' })
export type ChannelOptions = z.infer<typeof ChannelOptions>

/** What the choices of some platforms depend on. */
export const ChannelOptionsQuery = z.strictObject({
  subreddit: z.string().min(1).max(100).optional().meta({
    description: 'For a Reddit channel: the subreddit whose flairs are wanted.',
  }),
})

/** An account that a person may connect; several of them may come with one grant. */
const GrantedAccount = z.object({
  /** The platform's id of it. */
  account: z.string(),
  name: z.string(),
  username: z.string(),
})

const OneChannel = z.object({ organizationId: OrganizationId, channelId: ChannelId })

/** RPC of the channels service: connected accounts, their credentials and rules. */
export const channels = contract({
  service: 'channels',
  operations: {
    /** The connected channels that the caller may see, oldest first. Disconnected ones are left out. */
    list: {
      input: z.object({ organizationId: OrganizationId, channels: ChannelRestriction }),
      output: z.object({ data: z.array(Channel) }),
      safe: true,
    },
    /** Those of the given channels that belong to the organization and are connected; unknown ids are simply absent. */
    getForPosting: {
      input: z.object({ organizationId: OrganizationId, channelIds: z.array(z.string()) }),
      output: z.object({ data: z.array(ChannelForPosting) }),
      safe: true,
    },
    /**
     * Connects an account with the platform's own credentials, after asking the platform whose they are.
     * The same account connected again keeps its channel id. 422 when the platform refuses them.
     */
    connect: {
      input: z.object({
        organizationId: OrganizationId,
        platform: Platform,
        /** The address of the instance, for a platform that has many. */
        baseUrl: z.url({ protocol: /^https?$/ }).optional(),
        credentials: z.record(z.string(), z.string()),
        name: z.string().min(1).max(200).optional(),
      }),
      output: Channel,
      timeoutMs: 30_000,
    },
    /**
     * Where a person is sent to grant access to an account, and until when. Answers 422 for a platform without such a
     * page. `redirectUri` is the gateway's page for the platform.
     */
    beginConnect: {
      input: z.object({
        organizationId: OrganizationId,
        platform: Platform,
        baseUrl: z.url({ protocol: /^https?$/ }).optional(),
        redirectUri: z.url({ protocol: /^https?$/ }),
        name: z.string().min(1).max(200).optional(),
      }),
      output: z.object({ url: z.url(), expiresAt: Instant }),
      timeoutMs: 30_000,
    },
    /**
     * A person came back from the platform, with what the platform wrote into the address. Which organization it is for
     * is known by the state alone. 404 when the state is not good any more, 422 when access was not granted.
     */
    finishConnect: {
      input: z.object({ platform: Platform, query: z.record(z.string(), z.string()) }),
      output: z.discriminatedUnion('outcome', [
        z.object({ outcome: z.literal('connected'), channels: z.array(Channel) }),
        /** The token is good once, for `chooseAccounts`. */
        z.object({
          outcome: z.literal('choose'),
          token: z.string(),
          accounts: z.array(GrantedAccount),
        }),
      ]),
      timeoutMs: 30_000,
    },
    chooseAccounts: {
      input: z.object({ platform: Platform, token: z.string(), accounts: z.array(z.string()) }),
      output: z.object({ channels: z.array(Channel) }),
      timeoutMs: 30_000,
    },
    disconnect: { input: OneChannel, output: Channel },
    /**
     * What can be chosen for the options of a post to a channel that the caller may see; none where nothing must be. 409
     * `reauth_required`, 404 for others' channels, 422 for a parameter that the platform does not ask for, 503 when it
     * cannot be asked.
     */
    choices: {
      input: OneChannel.extend({
        channels: ChannelRestriction,
        query: z.record(z.string(), z.string()),
      }),
      output: ChannelOptions,
      safe: true,
      timeoutMs: 30_000,
    },
    /**
     * A fresh token for the publisher. 409 `reauth_required` when the account's owner must connect it again,
     * 404 when the channel is unknown or disconnected, 503 when the platform cannot be asked now.
     */
    access: { input: OneChannel, output: ChannelAccess, timeoutMs: 20_000 },
    /** The platform said that the token is dead: ask for a new one, or mark the channel `reauth_required`. */
    reportDeadToken: {
      input: OneChannel.extend({ token: z.string(), reason: z.string() }),
      output: Channel,
      timeoutMs: 20_000,
    },
    ...PROJECTION_OPERATIONS,
  },
})

/** Public events of a channel and their actions in the subject. The token never appears. */
export const CHANNEL_EVENT_ACTIONS = {
  ChannelConnected: 'connected',
  ChannelReauthRequired: 'reauth-required',
  ChannelDisconnected: 'disconnected',
} as const

export const ChannelEventData = z.object({
  channelId: ChannelId,
  platform: Platform,
  username: z.string().meta({ description: 'The name of the account on its platform.' }),
  at: Instant.meta({ description: 'When it happened, in UTC: the `time` of the event.' }),
})
