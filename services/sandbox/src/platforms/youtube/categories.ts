import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { authenticate } from './authenticate.ts'
import { requirePart } from './parts.ts'
import { refuse } from './refusals.ts'
import type { Youtube } from './server.ts'

/** Some of YouTube's categories, and whether a video can be given them. */
export const CATEGORIES = [
  { id: '1', title: 'Film & Animation', assignable: true },
  { id: '2', title: 'Autos & Vehicles', assignable: true },
  { id: '10', title: 'Music', assignable: true },
  { id: '18', title: 'Short Movies', assignable: false },
  { id: '22', title: 'People & Blogs', assignable: true },
  { id: '24', title: 'Entertainment', assignable: true },
  { id: '28', title: 'Science & Technology', assignable: true },
  { id: '30', title: 'Movies', assignable: false },
]

/** `GET /youtube/v3/videoCategories` */
export function listCategories(youtube: Youtube, call: Call): Answer {
  authenticate(youtube, call, ['readonly'])
  requirePart(call, ['snippet'])
  const { query } = call
  if (!/^[A-Z]{2}$/.test(query.get('regionCode') ?? ''))
    refuse(400, 'missingRequiredParameter', {
      message: 'No filter selected. Expected one of: id, regionCode',
    })
  youtube.quota.useUnit()
  return jsonAnswer(200, {
    kind: 'youtube#videoCategoryListResponse',
    etag: 'etag',
    items: CATEGORIES.map(({ id, title, assignable }) => ({
      kind: 'youtube#videoCategory',
      etag: 'etag',
      id,
      snippet: { title, assignable, channelId: 'UCBR8-60-B28hp2BmDPdntcQ' },
    })),
  })
}
