import { EVENTS_STREAM } from '@herald/contracts/events'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { World } from './world.ts'

/** Every message that the stream of public events holds: subject, headers and body as text. */
export async function publishedEvents({ nats }: Pick<World, 'nats'>): Promise<string[]> {
  const connection = await connect({ servers: nats.url })
  try {
    const { streams } = await jetstreamManager(connection)
    const { state } = await streams.info(EVENTS_STREAM)
    const found: string[] = []
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await streams.getMessage(EVENTS_STREAM, { seq })
      if (!message) continue
      const headers = [...message.header].map(([name, values]) => `${name}: ${values.join()}`)
      found.push([message.subject, ...headers, message.string()].join('\n'))
    }
    return found
  } finally {
    await connection.close()
  }
}
