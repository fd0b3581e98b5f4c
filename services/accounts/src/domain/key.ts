import type { Scope } from '@herald/contracts/accounts'
import { AppError } from '@herald/contracts/errors'
import type { Decider } from '@herald/event-store/decider'

export type KeyFacts = {
  organizationId: string
  name: string
  /** First characters of the key; the key itself is in no event. */
  prefix: string
  scopes: Scope[]
  channels: 'all' | string[]
  expiresAt: string | null
  createdAt: string
}

export type KeyEvent =
  | ({ type: 'KeyCreated' } & KeyFacts)
  | { type: 'KeyRevoked'; prefix: string; revokedAt: string }

export type KeyCommand = ({ type: 'CreateKey' } & KeyFacts) | { type: 'RevokeKey'; now: string }

export type KeyState =
  | { status: 'absent' }
  | ({ status: 'made'; revokedAt: string | null } & KeyFacts)

/** An API key. Revoking it again changes nothing. */
export const key: Decider<KeyState, KeyCommand, KeyEvent> = {
  initial: { status: 'absent' },
  decide(command, state) {
    switch (command.type) {
      case 'CreateKey': {
        if (state.status !== 'absent') throw new AppError('conflict', 'It exists already.')
        if (command.expiresAt !== null && command.expiresAt <= command.createdAt)
          throw new AppError('validation_failed', 'The key would be expired from the start.', {
            details: { issues: [{ path: 'expiresAt', message: 'is in the past' }] },
          })
        return [{ ...command, type: 'KeyCreated' }]
      }
      case 'RevokeKey': {
        if (state.status === 'absent') throw new AppError('not_found', 'There is no such key.')
        if (state.revokedAt !== null) return []
        return [{ type: 'KeyRevoked', prefix: state.prefix, revokedAt: command.now }]
      }
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'KeyCreated': {
        const { type: _, ...facts } = event
        return { status: 'made', revokedAt: null, ...facts }
      }
      case 'KeyRevoked':
        return state.status === 'made' ? { ...state, revokedAt: event.revokedAt } : state
    }
  },
}
