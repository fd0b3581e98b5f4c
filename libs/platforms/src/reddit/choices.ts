import { RedditOptions } from '@herald/contracts/options/reddit'
import { z } from 'zod'
import { ask } from '../ask.ts'
import { type AccountInput, type Choices, ConnectError, type HttpDeps } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { apiHeaders, apiUrl } from './api.ts'

const FIELD = 'reddit.flairId'

const Flairs = z.array(z.object({ id: z.string().min(1), text: z.string() }))

/** The flairs of a subreddit; none where it has none, or lets only its moderators choose. Throws `ConnectError`. */
export async function choices(
  input: AccountInput & { query: Record<string, string> },
  deps?: HttpDeps,
): Promise<Choices[]> {
  const { subreddit } = RedditOptions.safeParse({ subreddit: input.query['subreddit'] }).data ?? {}
  if (subreddit === undefined) return [{ field: FIELD, choices: [], needs: 'subreddit' }]
  const { status, text } = await ask(
    'Reddit',
    {
      method: 'GET',
      url: apiUrl(input, `/r/${subreddit}/api/link_flair_v2`),
      headers: apiHeaders(input),
    },
    deps,
  )
  if (status === 401)
    throw new ConnectError('refused', 'Reddit does not accept the access token any more.')
  if (status === 403 || status === 404) return [{ field: FIELD, choices: [] }]
  const flairs = status === 200 ? readJson(Flairs, text) : undefined
  if (!flairs) throw new ConnectError('unavailable', `Reddit answers with status ${status}.`)
  const options = flairs.map(({ id, text: label }) => ({ value: id, label: label || id }))
  return [{ field: FIELD, choices: options }]
}
