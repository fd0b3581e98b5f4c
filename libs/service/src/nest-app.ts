import type { INestMicroservice, Type } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { CustomTransportStrategy } from '@nestjs/microservices'
import type { Logger } from './logger.ts'
import { nestLogger } from './nest-logger.ts'

/** A Nest microservice of one controller on one transport. */
export function nestApp(
  controller: Type,
  strategy: CustomTransportStrategy,
  logger: Logger,
): Promise<INestMicroservice> {
  const module = { module: class ServiceModule {}, controllers: [controller] }
  // Without `abortOnError: false` Nest ends the process itself when it cannot start.
  return NestFactory.createMicroservice(module, {
    logger: nestLogger(logger),
    abortOnError: false,
    strategy,
  })
}
