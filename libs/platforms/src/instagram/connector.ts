import { InstagramOptions } from '@herald/contracts/options/instagram'
import { withFiles } from '../file-upload.ts'
import { prepareContainers } from '../graph-containers.ts'
import { lookUpContainer, publishContainer } from '../graph-publish.ts'
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
import { instagramApi, planOf } from './containers.ts'
import { instagramAccess } from './oauth.ts'

/** Instagram with Instagram Login: it fetches the files itself and makes containers of them, of which one is published. */
export const instagramConnector: Connector = {
  settles: 'twoPhase',
  prepare,
  commit,
  lookUp,
  ...instagramAccess,
}

async function prepare(input: PrepareInput): Promise<PrepareResult> {
  const read = readOptions(InstagramOptions, input)
  if (read.outcome !== 'read') return read
  if (input.media.length === 0)
    return { outcome: 'permanent', errorCode: 'media_missing', message: NO_FILE }
  const api = instagramApi(read.options)
  return await withFiles(() => prepareContainers(api, input, planOf(input, read.options)))
}

const NO_FILE = 'A post to Instagram needs an image or a video.'

async function commit(input: PublishInput & Prepared): Promise<CommitOutcome> {
  const read = readOptions(InstagramOptions, input)
  return read.outcome === 'read' ? publishContainer(instagramApi(read.options), input) : read
}

async function lookUp(input: LookUpInput): Promise<LookUpOutcome> {
  const read = readOptions(InstagramOptions, input)
  if (read.outcome !== 'read') return { cannotTell: read.message }
  return lookUpContainer(instagramApi(read.options), input)
}
