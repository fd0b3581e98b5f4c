import type { accounts, Organization, Plan } from '@herald/contracts/accounts'
import { AppError } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import type { Limits } from '@herald/contracts/quota'
import type { Handlers } from '@herald/contracts/rpc'
import { handle } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import type { Deps } from './deps.ts'
import { findOrganization } from './queries.ts'
import { organizationStream } from './streams.ts'

type CreateInput = Parameters<Handlers<typeof accounts>['createOrganization']>[0]

/** Makes an organization. */
export async function createOrganization(
  { store, now }: Deps,
  { name, plan }: CreateInput,
): Promise<Organization> {
  const at = now()
  const id = newId('organization', at)
  const command = { type: 'CreateOrganization', name, plan, now: toIso(at) } as const
  const options = { organizationId: id, meta: metaOf('operator'), isNew: true }
  await handle(store, organizationStream, id, command, options)
  return { id, name, plan }
}

/** Moves an organization to another plan. The plan it is on already changes nothing. */
export async function setPlan(
  deps: Deps,
  { organizationId, plan }: { organizationId: string; plan: Plan },
): Promise<Organization> {
  const command = { type: 'ChangePlan', plan } as const
  const options = { organizationId, meta: metaOf('operator') }
  await handle(deps.store, organizationStream, organizationId, command, options)
  const { name } = await requireOrganization(deps, organizationId)
  return { id: organizationId, name, plan }
}

/** What the organization's plan allows. */
export async function limitsOf(
  deps: Deps,
  { organizationId }: { organizationId: string },
): Promise<Limits> {
  const { plan } = await requireOrganization(deps, organizationId)
  const { apiAccess: _, ...limits } = deps.plans[plan]
  return limits
}

/** The organization, or 404. */
export async function requireOrganization({ store }: Deps, id: string): Promise<Organization> {
  const found = await findOrganization(store.pool, id)
  if (!found) throw new AppError('not_found', 'There is no such organization.')
  return found
}

function toIso(at: number): string {
  return new Date(at).toISOString()
}
