import type { Plan } from '@herald/contracts/accounts'
import { AppError } from '@herald/contracts/errors'
import type { Decider } from '@herald/event-store/decider'

export type OrganizationEvent =
  | { type: 'OrganizationCreated'; name: string; plan: Plan; createdAt: string }
  | { type: 'PlanChanged'; plan: Plan }

export type OrganizationCommand =
  | { type: 'CreateOrganization'; name: string; plan: Plan; now: string }
  | { type: 'ChangePlan'; plan: Plan }

export type OrganizationState =
  | { status: 'absent' }
  | { status: 'active'; name: string; plan: Plan; createdAt: string }

/** An organization and the plan it is on. */
export const organization: Decider<OrganizationState, OrganizationCommand, OrganizationEvent> = {
  initial: { status: 'absent' },
  decide(command, state) {
    switch (command.type) {
      case 'CreateOrganization': {
        if (state.status !== 'absent') throw new AppError('conflict', 'It exists already.')
        const { name, plan, now } = command
        return [{ type: 'OrganizationCreated', name, plan, createdAt: now }]
      }
      case 'ChangePlan': {
        if (state.status === 'absent')
          throw new AppError('not_found', 'There is no such organization.')
        return state.plan === command.plan ? [] : [{ type: 'PlanChanged', plan: command.plan }]
      }
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'OrganizationCreated': {
        const { name, plan, createdAt } = event
        return { status: 'active', name, plan, createdAt }
      }
      case 'PlanChanged':
        return state.status === 'active' ? { ...state, plan: event.plan } : state
    }
  },
}
