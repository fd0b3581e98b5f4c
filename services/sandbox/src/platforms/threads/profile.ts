import { type Containers, openContainers } from '../../graph/containers.ts'
import { newGraphId } from '../../graph/ids.ts'
import { openProvider, type Provider } from '../../oauth/provider.ts'
import type { World } from '../../stand-in.ts'

/** The stand-in of Threads: who may do what, and what was made. */
export type Threads = { world: World; provider: Provider; containers: Containers }

export const SCOPES = ['threads_basic', 'threads_content_publish']

export function openThreadsState(world: World): Threads {
  const provider = openProvider(world, {
    part: 'THREADS-oauth',
    name: 'Threads',
    authorizePath: '/oauth/authorize',
    scopeSeparator: ',',
    requiresPkce: false,
    codeSeconds: 3600,
    accessSeconds: 3600,
    rotates: false,
    newAccountId: newGraphId,
  })
  return { world, provider, containers: openContainers(world, 'THREADS') }
}
