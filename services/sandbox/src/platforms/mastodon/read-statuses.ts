import type { Request } from 'express'
import { z } from 'zod'
import type { Answer } from '../../platform.ts'
import { authorized, failure } from './manners.ts'
import type { Mastodon, Status } from './tables.ts'
import { statusView } from './views.ts'

const Id = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt)
  .optional()
const Page = z.object({
  limit: z.coerce.number().int().min(1).default(20),
  exclude_replies: z.enum(['true', 'false', '1', '0']).optional(),
  max_id: Id,
  since_id: Id,
  min_id: Id,
})
const MOST = 40
const SCOPES = ['read', 'read:statuses']

/** GET /api/v1/accounts/:id/statuses, newest first; `min_id` takes the page just above that id. */
export function listStatuses(mastodon: Mastodon) {
  return withReader(mastodon, (reader, { params, query }) => {
    if (!mastodon.accounts.get(String(params.id))) return failure(404, 'Record not found')
    const page = Page.safeParse(query)
    if (!page.success) return failure(400, 'The parameters are not valid')
    const { limit, max_id: maxId, since_id: sinceId, min_id: minId, exclude_replies } = page.data
    const excludeReplies = exclude_replies === 'true' || exclude_replies === '1'
    const found = mastodon.statuses
      .all()
      .filter(({ account }) => account === params.id)
      .filter((status) => isVisible(status, reader))
      .filter((status) => !excludeReplies || !isReplyToOther(mastodon, status))
      .filter(
        ({ id }) =>
          (maxId === undefined || BigInt(id) < maxId) &&
          (sinceId === undefined || BigInt(id) > sinceId) &&
          (minId === undefined || BigInt(id) > minId),
      )
    const count = Math.min(limit, MOST)
    const taken = minId === undefined ? found.slice(-count) : found.slice(0, count)
    return { status: 200, body: taken.toReversed().map((status) => statusView(mastodon, status)) }
  })
}

/** GET /api/v1/statuses/:id. */
export function getStatus(mastodon: Mastodon) {
  return withReader(mastodon, (reader, { params }) => {
    const status = mastodon.statuses.get(String(params.id))
    if (!status || !isVisible(status, reader)) return failure(404, 'Record not found')
    return { status: 200, body: statusView(mastodon, status) }
  })
}

/** Reading needs no token; a token that is sent must be good. */
function withReader(
  mastodon: Mastodon,
  read: (reader: string | null, request: Request) => Answer,
): (request: Request) => Answer {
  const withToken = authorized(mastodon, SCOPES, read)
  return (request) => (request.get('authorization') ? withToken(request) : read(null, request))
}

/** Whether somebody may see a status who follows nobody. */
export function isVisible({ visibility, account }: Status, reader: string | null): boolean {
  return visibility === 'public' || visibility === 'unlisted' || account === reader
}

/** A thread of one's own is no reply. */
function isReplyToOther({ statuses }: Mastodon, { account, inReplyToId }: Status): boolean {
  return inReplyToId !== null && statuses.get(inReplyToId)?.account !== account
}
