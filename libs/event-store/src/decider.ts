/**
 * A decision model. `decide` turns a command and the present state into the events that follow, or throws an
 * `AppError` to refuse; `evolve` applies one event and never refuses. Both are pure: the time, new ids and facts
 * of other services arrive inside the command.
 */
export type Decider<State, Command, Event> = {
  initial: State
  decide: (command: Command, state: State) => Event[]
  evolve: (state: State, event: Event) => State
}

/** The state after all the events, oldest first. */
export function fold<State, Event>(
  decider: Pick<Decider<State, never, Event>, 'initial' | 'evolve'>,
  events: Iterable<Event>,
): State {
  let state = decider.initial
  for (const event of events) state = decider.evolve(state, event)
  return state
}
