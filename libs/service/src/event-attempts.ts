import { AppError } from '@herald/contracts/errors'
import type { CloudEvent } from '@herald/contracts/events'
import type { JsMsg } from '@nats-io/jetstream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Consumer, Delivery } from './consumer.ts'
import type { HandlerFailure } from './consumer-controller.ts'
import type { Slots } from './lanes.ts'
import type { Logger } from './logger.ts'
import { countDeadLetter, measureHandled } from './metrics.ts'

/** A message in work, as far as trying it is concerned. */
export type Attempted = {
  /** Nothing when the message is not a CloudEvent. */
  event: CloudEvent | undefined
  /** The latest delivery. */
  message: JsMsg
  /** Whether its handler runs at the moment. */
  isRunning: boolean
}

export type AttemptsOptions = {
  consumer: Consumer
  logger: Logger
  callHandler: (event: CloudEvent, delivery: Delivery) => Promise<HandlerFailure | undefined>
  copyToDeadLetters: (message: JsMsg, reason: string) => Promise<void>
}

/** How work on a message ended, which is what the server is told. */
export type Outcome = 'ack' | 'term'

export type StopSignals = {
  /** No failed message is tried again. */
  closing: AbortSignal
  /** No handler starts. */
  ending: AbortSignal
}

/**
 * Tries a message until its handler has taken it, or until it stands in the dead letters. Between tries it waits.
 * Answers nothing when it was told to stop before either. Handlers run in slots.
 */
export function makeAttempts(
  { consumer, logger, callHandler, copyToDeadLetters }: AttemptsOptions,
  { closing, ending }: StopSignals,
  inSlot: Slots,
): (attempted: Attempted) => Promise<Outcome | undefined> {
  const pause = (failures: number) => {
    const { backoffMs } = consumer
    const ms = backoffMs[Math.min(failures, backoffMs.length) - 1] ?? 1_000
    return sleep(ms, undefined, { signal: closing }).catch(() => undefined)
  }

  const run = (attempted: Attempted, event: CloudEvent) =>
    inSlot(async (): Promise<HandlerFailure | 'ack' | undefined> => {
      if (ending.aborted) return undefined
      attempted.isRunning = true
      const end = measureHandled(consumer.durable)
      const failure = await callHandler(event, deliveryOf(attempted.message))
      end(failure?.error)
      attempted.isRunning = false
      return failure ?? 'ack'
    })

  /** First the copy, then the end: a crash in between delivers the event again, and loses nothing. */
  const bury = async ({ message }: Attempted, reason: string): Promise<Outcome | undefined> => {
    for (let failures = 1; !closing.aborted; failures++)
      try {
        await copyToDeadLetters(message, reason)
        countDeadLetter(consumer.durable)
        logger.error({ subject: message.subject, reason }, 'An event went to the dead letters.')
        return 'term'
      } catch (error) {
        logger.warn({ error }, 'The dead letters cannot be reached yet.')
        await pause(failures)
      }
    return undefined
  }

  return async (attempted) => {
    const { event } = attempted
    if (!event) return bury(attempted, 'It is not a CloudEvent.')
    let counted = attempted.message.info.deliveryCount - 1
    for (let tries = 1; ; tries++) {
      const result = await run(attempted, event)
      if (result === undefined || result === 'ack') return result
      const { error } = result
      logger.warn({ error, event: event.id, tries }, 'An event could not be handled yet.')
      if (!isUnavailable(error)) counted += 1
      if (counted >= consumer.maxDeliver) return bury(attempted, String(error))
      await pause(tries)
      if (closing.aborted) return undefined
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.status === 503
}

function deliveryOf({ subject, info }: JsMsg): Delivery {
  const { deliveryCount, redelivered } = info
  return { subject, deliveryCount, redelivered }
}
