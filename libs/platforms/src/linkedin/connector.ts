import { LinkedinOptions } from '@herald/contracts/options/linkedin'
import { z } from 'zod'
import { withFiles } from '../file-upload.ts'
import { request } from '../http.ts'
import { readOptions } from '../options.ts'
import type {
  CommitOutcome,
  Connector,
  Prepared,
  PrepareInput,
  PrepareResult,
  PublishInput,
} from '../platform.ts'
import { readJson } from '../read-json.ts'
import { meaningOf, meaningOfSilence } from '../refusal.ts'
import { post } from './api.ts'
import { earlierPost } from './earlier-post.ts'
import { LINKEDIN_ERRORS } from './errors.ts'
import { identify } from './identify.ts'
import { lookUp } from './look-up.ts'
import { prepareMedia } from './media.ts'
import { freshToken, linkedinOauth } from './oauth.ts'
import { bodyOf, liveOf } from './post.ts'

const TIMEOUT_MS = 30_000

const Urn = z.string().regex(/^urn:li:(share|ugcPost):\d{1,19}$/)

/**
 * LinkedIn, for members and pages of organizations. There is no key for a call. The posts of a page can be looked through;
 * those of a member cannot be read, and only a repeat that a person asks for settles them (`earlier-post.ts`).
 */
export const linkedinConnector: Connector = {
  settles: 'lookup',
  identify,
  freshToken,
  prepare,
  commit,
  lookUp,
  oauth: linkedinOauth,
}

async function prepare(input: PrepareInput): Promise<PrepareResult> {
  const read = readOptions(LinkedinOptions, input)
  if (read.outcome !== 'read') return read
  return input.media.length === 0
    ? { outcome: 'ready', step: {} }
    : await withFiles(() => prepareMedia(input))
}

async function commit(input: PublishInput & Prepared): Promise<CommitOutcome> {
  const built = bodyOf(input)
  if (built.outcome !== 'built') return built
  const call = post(input, '/rest/posts', undefined, built.body)
  const result = await request({ ...call, timeoutMs: TIMEOUT_MS, signal: input.signal })
  if (result.kind !== 'response') return meaningOfSilence(result, 'LinkedIn')
  if (result.status < 200 || result.status > 299) {
    const earlier = earlierPost(result, input)
    return earlier
      ? { outcome: 'published', ...earlier }
      : meaningOf(result, LINKEDIN_ERRORS, Date.now())
  }
  // The answer has no body, but for some versions of the API.
  const named =
    result.headers['x-restli-id'] ?? readJson(z.object({ id: z.string() }), result.text)?.id
  const urn = Urn.safeParse(named).data
  return urn === undefined
    ? { outcome: 'unknown', message: 'LinkedIn took the post, but does not say which one it is.' }
    : { outcome: 'published', ...liveOf(urn, new Date().toISOString(), input) }
}
