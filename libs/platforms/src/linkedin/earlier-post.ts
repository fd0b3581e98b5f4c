import type { HttpResponse } from '../http.ts'
import type { Live, PublishInput } from '../platform.ts'
import { readLinkedinError } from './errors.ts'
import { liveOf } from './post.ts'

/** How far apart the clocks of Herald and LinkedIn may be. */
const CLOCK_TOLERANCE_MS = 5_000

/**
 * The post that an earlier attempt of the same post has made live, when LinkedIn refuses this one as its repeat and names
 * it. Such a post was made after the first attempt began and before this one did, which its id tells: its upper bits are
 * milliseconds since 1970. An older one is somebody's else, and a newer one is none: LinkedIn gives an id to each
 * refused repeat of a post that was deleted.
 */
export function earlierPost(
  { status, text }: HttpResponse,
  input: Pick<PublishInput, 'rkeyTime' | 'createdAt' | 'settings'>,
): Live | undefined {
  if (status !== 422) return undefined
  const { message = '' } = readLinkedinError(text)
  const [, urn = '', id] = /duplicate of (urn:li:(?:share|ugcPost):(\d{1,19}))/.exec(message) ?? []
  const began = Date.parse(input.createdAt)
  if (id === undefined || began <= input.rkeyTime) return undefined
  const madeAt = Number(BigInt(id) >> 22n)
  const isOurs =
    madeAt >= input.rkeyTime - CLOCK_TOLERANCE_MS && madeAt <= began + CLOCK_TOLERANCE_MS
  return isOurs ? liveOf(urn, new Date(madeAt).toISOString(), input) : undefined
}
