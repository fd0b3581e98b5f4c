import { type Containers, openContainers } from '../../graph/containers.ts'
import { newGraphId } from '../../graph/ids.ts'
import { openProvider, type Provider } from '../../oauth/provider.ts'
import type { World } from '../../stand-in.ts'

/** The stand-in of Instagram: who may do what, and what was made. */
export type Instagram = { world: World; provider: Provider; containers: Containers }

export const SCOPES = ['instagram_business_basic', 'instagram_business_content_publish']

export function openInstagramState(world: World): Instagram {
  const provider = openProvider(world, {
    part: 'INSTAGRAM-oauth',
    name: 'Instagram',
    authorizePath: '/oauth/authorize',
    scopeSeparator: ',',
    requiresPkce: false,
    codeSeconds: 3600,
    accessSeconds: 3600,
    rotates: false,
    newAccountId: newGraphId,
  })
  return { world, provider, containers: openContainers(world, 'INSTAGRAM') }
}
