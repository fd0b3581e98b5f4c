import { AppError } from '@herald/contracts/errors'
import type { Decider } from './decider.ts'
import { fold } from './decider.ts'

/**
 * A test of a decider in three words: `given(decider, ...events).when(command)` gives the events that follow, or
 * the `AppError` it refuses with. It belongs to tests; production code has no use for it.
 */
export function given<State, Command, Event>(
  decider: Decider<State, Command, Event>,
  ...events: Event[]
) {
  const state = fold<State, Event>(decider, events)
  return {
    state,
    when(command: Command): Event[] | AppError {
      try {
        return decider.decide(command, state)
      } catch (error) {
        if (error instanceof AppError) return error
        throw error
      }
    },
  }
}
