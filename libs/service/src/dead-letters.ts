import { type JsMsg, jetstream } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { deadLetterSubject } from '@herald/contracts/events'
import type { Bus } from './bus.ts'
import { ensureStreams } from './jetstream.ts'

const LONGEST_REASON = 500

/** The header of a dead letter that says why it was given up. */
export const LETTER_REASON = 'Herald-Reason'
/** The header of a dead letter that says which subject it came by. */
export const LETTER_SUBJECT = 'Herald-Subject'

/**
 * Copies a message to the dead letters of a consumer, `herald.dead.<durable>`, with the reason in the header
 * `Herald-Reason` and the message's own subject in `Herald-Subject`. Resolves when the bus has stored it; a second
 * copy of the same message within ten minutes is dropped.
 */
export async function copyToDeadLetters(
  bus: Bus,
  durable: string,
  message: JsMsg,
  reason: string,
): Promise<void> {
  const connection = await bus.connection()
  if (bus.provisions) await ensureStreams(connection)
  const fields = headers()
  fields.set(LETTER_REASON, printable(reason))
  fields.set(LETTER_SUBJECT, message.subject)
  await jetstream(connection).publish(deadLetterSubject(durable), message.data, {
    // The time tells messages apart that have the same sequence in a stream before and after it was made anew.
    msgID: `${durable}-${message.seq}-${message.timestampNanos}`,
    headers: fields,
    timeout: 5_000,
  })
}

/** A reason as a header may hold it: printable, and of 500 characters at most. */
export function printable(text: string): string {
  return text.slice(0, LONGEST_REASON).replaceAll(/[^\x20-\x7e]+/g, ' ')
}
