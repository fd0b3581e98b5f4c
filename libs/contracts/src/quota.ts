import { z } from 'zod'
import { KeyId, OrganizationId, PostId } from './ids.ts'
import { contract } from './rpc.ts'
import { Instant } from './time.ts'

/**
 * Stands for "unlimited" wherever a limit is a number: the largest integer that every client's integer type holds. The
 * specification has integers there, so that `limit - used` always works.
 */
export const UNLIMITED = 2_147_483_647

const Limit = z.int().min(0).max(UNLIMITED)

/** What a plan allows an organization. Only a plan without API access allows no requests at all. */
export const Limits = z.object({
  requestsPerMinute: Limit,
  requestsPerMonth: Limit,
  postsPerMonth: Limit,
})
export type Limits = z.infer<typeof Limits>

const orUnlimited = `${UNLIMITED} is unlimited.`

/** What is left to the key of the request, as `GET /me` shows it (specification, "Quota"). */
export const Quota = z
  .strictObject({
    requestsPerMinute: z.int().meta({ description: `Of this key; ${orUnlimited}` }),
    requestsPerMonth: z.int().meta({ description: `Of the organization; ${orUnlimited}` }),
    usedThisMonth: z.int().meta({ description: 'By all keys of the organization.' }),
    resetsAt: Instant.meta({ description: 'When the next month begins, in UTC.' }),
  })
  .meta({ id: 'Quota' })
export type Quota = z.infer<typeof Quota>

/** How many requests of a key may go on, and what is left after them. The instants are the database's. */
export const Admission = z.object({
  /** The first so many of them. What is refused does not count. */
  granted: z.int(),
  /** The code that the others are refused with. */
  refusal: z.enum(['rate_limited', 'quota_exceeded']).nullable(),
  at: Instant,
  minute: z.object({
    limit: z.int(),
    remaining: z.int(),
    /** When one request more becomes possible; not later than `at` when none is missing. */
    resetsAt: Instant,
  }),
  month: z.object({ limit: z.int(), used: z.int(), resetsAt: Instant }),
})
export type Admission = z.infer<typeof Admission>

/** RPC of the quota service: requests of keys and organizations, and posts of organizations. */
export const quota = contract({
  service: 'quota',
  operations: {
    /**
     * Counts requests, as far as their key's minute and their organization's month let them pass. A key stands in it
     * once. The answers are in the order asked; null for an organization whose plan is not known or has no API access.
     */
    admit: {
      input: z.object({
        requests: z
          .array(
            z.object({
              keyId: KeyId,
              organizationId: OrganizationId,
              count: z.int().positive().max(100_000),
            }),
          )
          .max(500),
      }),
      output: z.object({ admissions: z.array(Admission.nullable()) }),
      timeoutMs: 2_000,
    },
    /**
     * Takes one of this month's posts for a post that is about to be created; answers `limit_reached` when none is
     * left. It comes back by itself if the post turns out not to exist.
     */
    reservePost: {
      input: z.object({ organizationId: OrganizationId, postId: PostId }),
      output: z.object({}),
    },
    /** Gives back what was taken for a post that was certainly not created. */
    releasePost: {
      input: z.object({ organizationId: OrganizationId, postId: PostId }),
      output: z.object({}),
      safe: true,
    },
  },
})
