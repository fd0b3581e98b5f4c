import { EVENTS_SUBJECTS } from '@herald/contracts/events'
import { eventProblems } from '@herald/testing/event-check'
import { connect } from '@nats-io/transport-node'

/** Watches every public event that is published. Disposing throws when one was not as `docs/schemas` says. */
export async function watchEvents(natsUrl: string): Promise<AsyncDisposable> {
  const connection = await connect({ servers: natsUrl, maxReconnectAttempts: -1 })
  const problems = new Set<string>()
  connection.subscribe(EVENTS_SUBJECTS, {
    callback: (_, message) => {
      for (const problem of eventProblems(message.string())) problems.add(problem)
    },
  })
  await connection.flush()
  return {
    async [Symbol.asyncDispose]() {
      await connection.close()
      if (problems.size > 0) throw new Error(`Undocumented events: ${[...problems].join('; ')}`)
    },
  }
}
