import { z } from 'zod'
import { ChannelId, KeyId, OrganizationId } from './ids.ts'
import { PROJECTION_OPERATIONS } from './projections.ts'
import { Limits, Quota } from './quota.ts'
import { contract } from './rpc.ts'
import { Instant, InstantWithOffset } from './time.ts'

/** The plans an organization can be on (specification, "Organization"). */
export const Plan = z
  .enum(['FREE', 'PRO', 'TEAM', 'ENTERPRISE'])
  .meta({ id: 'Plan', description: 'The plan of an organization.' })
export type Plan = z.infer<typeof Plan>

/** What a key may do (specification, "Authentication"). */
export const Scope = z
  .enum(['read', 'generate', 'publish'])
  .meta({ id: 'Scope', description: 'What a key may do. No endpoint needs `generate` yet.' })
export type Scope = z.infer<typeof Scope>

/** An organization, as `GET /me` shows it. */
export const Organization = z
  .strictObject({ id: OrganizationId, name: z.string(), plan: Plan })
  .meta({ id: 'Organization' })
export type Organization = z.infer<typeof Organization>

/** The key of the request, as `GET /me` shows it: never the key itself. */
export const Key = z
  .strictObject({
    name: z.string(),
    prefix: z.string().meta({ description: 'First characters of the key, for recognising it.' }),
    scopes: z.array(Scope),
    channels: z
      .union([z.literal('all'), z.array(ChannelId)])
      .meta({ description: '`all`, or the ids of the only channels this key sees and posts to.' }),
    expiresAt: Instant.nullable().meta({ description: 'When the key ends; null for never.' }),
  })
  .meta({ id: 'Key' })
export type Key = z.infer<typeof Key>

/** A key as its owner manages it. */
export const ManagedKey = z.strictObject({
  id: KeyId,
  organizationId: OrganizationId,
  ...Key.shape,
  createdAt: Instant,
  revokedAt: Instant.nullable(),
  /** Within a minute; null for never. */
  lastUsedAt: Instant.nullable(),
  /** Which secret its stored hash was made with. */
  pepperVersion: z.int().positive(),
})
export type ManagedKey = z.infer<typeof ManagedKey>

/** The answer of `GET /me`. */
export const Me = z
  .strictObject({ organization: Organization, key: Key, quota: Quota })
  .meta({ id: 'Me' })
export type Me = z.infer<typeof Me>

const Name = z.string().trim().min(1).max(200)

/** What a live API key looks like: the prefix, 40 random characters and a 6-character checksum. */
export const API_KEY_PATTERN = /^herald_live_[0-9A-Za-z]{46}$/

/** RPC of the accounts service: organizations, plans and API keys. */
export const accounts = contract({
  service: 'accounts',
  operations: {
    /** Whose key is it? Takes the SHA-256 of the key in hex; answers `unauthorized` for any key that may not call. */
    verifyKey: {
      input: z.object({ keyDigest: z.string().regex(/^[0-9a-f]{64}$/) }),
      output: z.object({
        keyId: KeyId,
        organization: Organization,
        apiAccess: z.boolean(),
        key: Key,
      }),
      safe: true,
    },
    createOrganization: {
      input: z.object({ name: Name, plan: Plan }),
      output: Organization,
    },
    listOrganizations: {
      input: z.object({}),
      output: z.object({ data: z.array(Organization) }),
      safe: true,
    },
    /** What the organization's plan allows. */
    limitsOf: {
      input: z.object({ organizationId: OrganizationId }),
      output: Limits,
      safe: true,
      timeoutMs: 1_000,
    },
    setPlan: {
      input: z.object({ organizationId: OrganizationId, plan: Plan }),
      output: Organization,
    },
    /** Makes a key. `secret` is the whole key and is never shown again. */
    createKey: {
      input: z.object({
        organizationId: OrganizationId,
        name: Name,
        scopes: z.array(Scope).min(1),
        channels: z.union([z.literal('all'), z.array(ChannelId)]).default('all'),
        expiresAt: InstantWithOffset.nullable().default(null),
      }),
      output: ManagedKey.extend({ secret: z.string().regex(API_KEY_PATTERN) }),
    },
    listKeys: {
      input: z.object({ organizationId: OrganizationId.optional() }),
      output: z.object({ data: z.array(ManagedKey) }),
      safe: true,
    },
    revokeKey: { input: z.object({ keyId: KeyId }), output: ManagedKey },
    ...PROJECTION_OPERATIONS,
  },
})

/** Public events of a key and their actions in the subject `herald.events.v1.key.<organizationId>.<action>`. */
export const KEY_EVENT_ACTIONS = { KeyCreated: 'created', KeyRevoked: 'revoked' } as const

/** The data of a public key event. Nothing in it lets anybody call. */
export const KeyEventData = z.object({
  keyId: KeyId,
  prefix: z.string().meta({ description: 'The beginning of the key, by which people know it.' }),
})
