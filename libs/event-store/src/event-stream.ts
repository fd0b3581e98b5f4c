/** A message for the bus: `id` makes a second publishing of it within ten minutes a duplicate. */
export type OutgoingMessage = {
  subject: string
  id: string
  body: string
  headers: Record<string, string>
}

/** Where the bus's stream stands. A stream that was deleted and made again has another `created`. */
export type StreamPosition = { created: string; firstSequence: number; lastSequence: number }

/** The bus answered that its last message is not the one that was expected. */
export class UnexpectedSequence extends Error {
  override name = 'UnexpectedSequence'
}

/** The stream of public events, as the relay uses it. `@herald/service/event-stream` speaks to JetStream. */
export type EventStream = {
  /** Makes the stream if it is missing, and tells where it stands. */
  position: () => Promise<StreamPosition>
  /**
   * Publishes a message if the last one has the sequence `expectedLast`; else throws `UnexpectedSequence`.
   * A message whose id is known answers `duplicate` whatever was expected. Resolves when the bus has stored it.
   */
  publish: (message: OutgoingMessage, expectedLast: number) => Promise<{ duplicate: boolean }>
  /** Calls back after the connection to the bus was lost and came back. Returns how to stop that. */
  onReconnect: (callback: () => void) => () => void
}
