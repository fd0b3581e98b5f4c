import { withFiles } from '../file-upload.ts'
import type { Connector, PrepareInput, PrepareResult } from '../platform.ts'
import { choices } from './choices.ts'
import { identify } from './identify.ts'
import { lookUp } from './look-up.ts'
import { uploadMedia } from './media.ts'
import { freshToken, redditOAuth } from './oauth.ts'
import { readPost } from './post.ts'
import { submit } from './submit.ts'

/**
 * Reddit knows no repeated call. A post with a file is made after the call, and a websocket tells of it; what that did
 * not tell is settled by looking through what the account has posted.
 */
export const redditConnector: Connector = {
  settles: 'lookup',
  identify,
  freshToken,
  prepare,
  commit: submit,
  lookUp,
  choices,
  oauth: redditOAuth,
}

async function prepare(input: PrepareInput): Promise<PrepareResult> {
  const read = readPost(input)
  if (read.outcome !== 'read') return read
  return input.media.length === 0
    ? { outcome: 'ready', step: {} }
    : await withFiles(() => uploadMedia(input))
}
