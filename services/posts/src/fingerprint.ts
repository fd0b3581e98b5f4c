import { createHash } from 'node:crypto'
import type { Rider } from '@herald/event-store/append'
import type { CreatePostBody } from '@herald/contracts/posts'
import type { Pool } from '@herald/event-store/database'
import { canonicalJson } from '@herald/service/canonical-json'
import { acrossOrganizations, forOrganization } from '@herald/event-store/organization'

/** For how long the same post is a duplicate (specification, "Limits"). */
const WINDOW = '5 minutes'
/** The name by which a refusal is told from others. */
export const CLAIM_FINGERPRINT = 'claim_fingerprint'

/**
 * What makes two posts the same: texts, options, channels as a set, media in order, and the publish time or "now".
 */
export function fingerprintOf(body: CreatePostBody): string {
  const { content, channelIds, mediaIds, publishAt, platformContent = {}, ...options } = body
  const facts = [
    content,
    channelIds.toSorted(),
    mediaIds,
    publishAt ?? 'now',
    platformContent,
    options,
  ]
  return createHash('sha256').update(canonicalJson(facts)).digest('base64url')
}

/** Rides with a new post and refuses it when the same one was created within the window and not cancelled. */
export function claimFingerprint(
  organizationId: string,
  fingerprint: string,
  postId: string,
): Rider {
  return {
    name: CLAIM_FINGERPRINT,
    required: true,
    sql: `insert into recent_posts as recent (organization_id, fingerprint, post_id) values ($1, $2, $3)
          on conflict (organization_id, fingerprint)
          do update set post_id = excluded.post_id, at = excluded.at
          where recent.at <= clock_timestamp() - interval '${WINDOW}' returning 1`,
    values: [organizationId, fingerprint, postId],
  }
}

/** Rides with a cancellation: a cancelled post may be created again at once. */
export function releaseFingerprint(postId: string): Rider {
  return {
    name: 'release_fingerprint',
    sql: `delete from recent_posts where post_id = $1`,
    values: [postId],
  }
}

/** The post that holds a fingerprint, if it still does. */
export async function findByFingerprint(
  pool: Pool,
  organizationId: string,
  fingerprint: string,
): Promise<string | undefined> {
  const { rows } = await forOrganization(pool, organizationId).query<{ post_id: string }>(
    `select post_id from recent_posts where organization_id = $1 and fingerprint = $2
     and at > clock_timestamp() - interval '${WINDOW}'`,
    [organizationId, fingerprint],
  )
  return rows[0]?.post_id
}

/** Forgets the fingerprints whose window has passed. */
export async function forgetOldFingerprints(pool: Pool): Promise<void> {
  await acrossOrganizations(pool).query(
    `delete from recent_posts where at < clock_timestamp() - interval '${WINDOW}'`,
  )
}
