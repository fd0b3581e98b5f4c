import { ThreadsOptions } from '@herald/contracts/options/threads'
import { withFiles } from '../file-upload.ts'
import { prepareContainers } from '../graph-containers.ts'
import { lookUpContainer, publishContainer } from '../graph-publish.ts'
import { readOptions } from '../options.ts'
import type { Connector, PrepareInput, PrepareResult } from '../platform.ts'
import { planOf, THREADS_API } from './containers.ts'
import { threadsAccess } from './oauth.ts'

/** Threads fetches the files itself and makes containers of them, of which one is published. */
export const threadsConnector: Connector = {
  settles: 'twoPhase',
  prepare,
  commit: (input) => publishContainer(THREADS_API, input),
  lookUp: (input) => lookUpContainer(THREADS_API, input),
  ...threadsAccess,
}

async function prepare(input: PrepareInput): Promise<PrepareResult> {
  const read = readOptions(ThreadsOptions, input)
  if (read.outcome !== 'read') return read
  return await withFiles(() => prepareContainers(THREADS_API, input, planOf(input, read.options)))
}
