import { AppError } from '@herald/contracts/errors'
import type { CallContext, Contract, Handlers, Operation } from '@herald/contracts/rpc'
import { runInContext } from './context.ts'
import type { Logger } from './logger.ts'
import { measureServed } from './metrics.ts'
import { hiddenFailure, refusal, type Reply } from './rpc-wire.ts'

/** What a service answers: its contract and the functions behind it. */
export type Rpc<C extends Contract = Contract> = { contract: C; handlers: Handlers<C> }

export type Dispatch = (operation: string, input: unknown, context: CallContext) => Promise<Reply>

/**
 * Carries out a call, whichever road it came on. The input is checked by the operation's schema. An `AppError` goes
 * back as it is; anything else is a bug: it is logged with its stack and goes back as a fixed text. Values are
 * held to the output's schema by their types alone, because parsing each costs more than the rest of a call; with
 * `HERALD_CHECK_ANSWERS=1`, which tests set, they are parsed too and a wrong one is a bug.
 */
export function dispatcher({ contract, handlers }: Rpc, logger: Logger): Dispatch {
  const isChecked = process.env.HERALD_CHECK_ANSWERS === '1'

  const carryOut = async (name: string, input: unknown): Promise<Reply> => {
    const operation = own(contract.operations, name)
    const handler = own(handlers, name)
    if (!operation || !handler)
      throw new AppError('not_found', 'The service has no such operation.')
    const value = await handler(parseInput(operation, input))
    if (isChecked) operation.output.parse(value)
    return { ok: true, value }
  }

  return (name, input, context) =>
    runInContext({ ...context, organizationId: organizationOf(input) }, async () => {
      const isKnown = own(contract.operations, name) !== undefined
      const end = measureServed({
        service: contract.service,
        operation: isKnown ? name : 'unknown',
      })
      try {
        const reply = await carryOut(name, input)
        end()
        return reply
      } catch (error) {
        end(error)
        return toReply(error, name, logger)
      }
    })
}

function parseInput(operation: Operation, input: unknown): unknown {
  const parsed = operation.input.safeParse(input)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: path.map(String).join('.'),
    message,
  }))
  throw new AppError('validation_failed', 'The request is not valid.', { details: { issues } })
}

function toReply(error: unknown, operation: string, logger: Logger): Reply {
  if (error instanceof AppError) {
    if (error.status >= 500) logger.warn({ error, operation }, 'A call cannot be answered.')
    return refusal(error)
  }
  logger.error({ error, operation }, 'A call failed.')
  return hiddenFailure()
}

function organizationOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('organizationId' in input)) return undefined
  return typeof input.organizationId === 'string' ? input.organizationId : undefined
}

function own<T>(record: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
