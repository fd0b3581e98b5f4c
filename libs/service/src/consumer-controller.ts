import 'reflect-metadata'
import { Controller, type Type } from '@nestjs/common'
import { Ctx, EventPattern, Payload } from '@nestjs/microservices'
import type { CloudEvent } from '@herald/contracts/events'
import { inSpan } from '@herald/telemetry/span'
import type { Consumer, Delivery } from './consumer.ts'
import { runInContext } from './context.ts'

/** What the controller answers when the handler failed; thrown errors lose their text and stack within Nest. */
export type HandlerFailure = { error: unknown }

/** The one Nest controller of a consumer; Nest's decorators are called as functions. */
export function consumerController(consumer: Consumer): Type {
  class ConsumerController {
    async handle(event: CloudEvent, delivery: Delivery): Promise<HandlerFailure | undefined> {
      const { id: requestId, traceparent, organizationid: organizationId } = event
      try {
        await runInContext({ requestId, traceparent, organizationId }, () =>
          inSpan(`handle ${consumer.durable}`, { kind: 'consumer', parent: traceparent }, () =>
            consumer.handle(event, delivery),
          ),
        )
        return undefined
      } catch (error) {
        return { error }
      }
    }
  }
  const { prototype } = ConsumerController
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'handle')
  if (descriptor) EventPattern(consumer.durable)(prototype, 'handle', descriptor)
  Payload()(prototype, 'handle', 0)
  Ctx()(prototype, 'handle', 1)
  Controller()(ConsumerController)
  return ConsumerController
}
