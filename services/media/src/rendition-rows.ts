import type { PictureLimits } from '@herald/contracts/media'
import type { Pool, PoolClient } from '@herald/event-store/database'
import { forOrganization } from '@herald/event-store/organization'

/** A picture within a platform's limits. Without a key it is the file itself. */
export type Rendition = {
  object_key: string | null
  mime_type: string
  size_bytes: number
  width: number
  height: number
}

export type OfFile = { organizationId: string; mediaId: string; limits: PictureLimits }

/** The rendition of a file within these limits, if it has been made. */
export async function findRendition(
  pool: Pool,
  { organizationId, mediaId, limits }: OfFile,
): Promise<Rendition | undefined> {
  const { rows } = await forOrganization(pool, organizationId).query<Rendition>({
    name: 'find_rendition',
    text: `select object_key, mime_type, size_bytes, width, height from renditions
           where media_id = $1 and limits = $2 and organization_id = $3`,
    values: [mediaId, writtenLimits(limits), organizationId],
  })
  return rows[0]
}

/** Notes a rendition. False when there is one already. */
export async function addRendition(
  client: PoolClient,
  { organizationId, mediaId, limits }: OfFile,
  { object_key, mime_type, size_bytes, width, height }: Rendition,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into renditions (media_id, limits, organization_id, object_key, mime_type, size_bytes, width, height)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (media_id, limits) do nothing`,
    [
      mediaId,
      writtenLimits(limits),
      organizationId,
      object_key,
      mime_type,
      size_bytes,
      width,
      height,
    ],
  )
  return rowCount === 1
}

/** Forgets the renditions of a file that is being deleted, and answers the keys of their objects. */
export async function forgetRenditions(client: PoolClient, mediaId: string): Promise<string[]> {
  const { rows } = await client.query<{ object_key: string | null }>(
    'delete from renditions where media_id = $1 returning object_key',
    [mediaId],
  )
  return rows.map(({ object_key }) => object_key).filter((key) => key !== null)
}

/** Limits that mean the same are written the same. */
function writtenLimits({ mimeTypes, maxBytes, ...most }: PictureLimits): string {
  const types = [...new Set(mimeTypes)].toSorted()
  const { maxWidth = null, maxHeight = null, maxPixels = null } = most
  return JSON.stringify([types, maxBytes, maxWidth, maxHeight, maxPixels])
}
