import { eventSubject } from '@herald/contracts/events'
import type { Command } from './command.ts'

/** `events tail`. */
export const EVENT_COMMANDS: Command[] = [
  {
    name: 'events tail',
    help: 'Print public events as they happen, one JSON object a line. Ctrl-C ends it.',
    options: { org: { value: 'ORG', help: 'Only those of one organization.' } },
    async run({ bus, print, signal }, { options }) {
      const connection = await bus.connection()
      const subscription = connection.subscribe(eventSubject('*', options.org ?? '*', '>'))
      signal.addEventListener('abort', () => subscription.unsubscribe())
      for await (const message of subscription) print(message.string())
      return undefined
    },
  },
]
