import { FacebookOptions } from '@herald/contracts/options/facebook'
import type { z } from 'zod'
import { withFiles } from '../file-upload.ts'
import { readOptions } from '../options.ts'
import type {
  CommitOutcome,
  Connector,
  LookUpInput,
  LookUpOutcome,
  Prepared,
  PrepareInput,
  PrepareResult,
  PublishInput,
} from '../platform.ts'
import { lookUpInFeed, postToFeed } from './feed.ts'
import { facebookOAuth, freshToken, identify } from './oauth.ts'
import { preparePhotos } from './photos.ts'
import { finishReel, lookUpReel, prepareReel } from './reel.ts'
import { lookUpVideo, postVideo } from './video.ts'

/** Facebook Pages. Pictures and reels are there before the post is; a video comes with the call that publishes it. */
export const facebookConnector: Connector = {
  settles: 'lookup',
  identify,
  freshToken,
  prepare,
  commit,
  lookUp,
  oauth: facebookOAuth,
}

async function prepare(input: PrepareInput): Promise<PrepareResult> {
  const read = readOptions(FacebookOptions, input)
  if (read.outcome !== 'read') return read
  switch (kindOf(input, read.options)) {
    case 'reel':
      return await prepareReel(input)
    case 'video':
      return { outcome: 'ready', step: {} }
    case 'feed':
      return await withFiles(() => preparePhotos(input))
  }
}

async function commit(input: PublishInput & Prepared): Promise<CommitOutcome> {
  const read = readOptions(FacebookOptions, input)
  if (read.outcome !== 'read') return read
  switch (kindOf(input, read.options)) {
    case 'reel':
      return await finishReel(input, read.options)
    case 'video':
      return await postVideo(input, read.options)
    case 'feed':
      return await postToFeed(input, read.options)
  }
}

async function lookUp(input: LookUpInput): Promise<LookUpOutcome> {
  const read = readOptions(FacebookOptions, input)
  if (read.outcome !== 'read') return { cannotTell: read.message }
  switch (kindOf(input, read.options)) {
    case 'reel':
      return await lookUpReel(input)
    case 'video':
      return await lookUpVideo(input)
    case 'feed':
      return await lookUpInFeed(input)
  }
}

function kindOf(
  { media }: PublishInput,
  { reel }: z.infer<typeof FacebookOptions>,
): 'reel' | 'video' | 'feed' {
  if (media[0]?.type !== 'video') return 'feed'
  return reel ? 'reel' : 'video'
}
