import { AppError } from '@herald/contracts/errors'
import type { CallContext, Contract, Handlers } from '@herald/contracts/rpc'
import { runInContext } from './context.ts'
import type { Logger } from './logger.ts'
import type { Reply } from './rpc-wire.ts'

/** What a service answers: its contract and the functions behind it. */
export type Rpc<C extends Contract = Contract> = { contract: C; handlers: Handlers<C> }

export type Dispatch = (operation: string, input: unknown, context: CallContext) => Promise<Reply>

/**
 * Carries out a call, whichever road it came on. The input is checked by the operation's schema. An `AppError` goes
 * back as it is; anything else is a bug: it is logged with its stack and goes back as a fixed text. Answers
 * are not checked here; the types hold them, and tests parse them.
 */
export function dispatcher({ contract, handlers }: Rpc, logger: Logger): Dispatch {
  return (operation, input, context) =>
    runInContext(context, async (): Promise<Reply> => {
      try {
        const definition = contract.operations[operation]
        const handler = handlers[operation]
        if (!definition || !handler)
          throw new AppError('not_found', `There is no operation ${operation}.`)
        const parsed = definition.input.safeParse(input)
        if (!parsed.success)
          throw new AppError('validation_failed', 'The request is not valid.', {
            details: { issues: parsed.error.issues.map(toIssue) },
          })
        return { ok: true, value: await handler(parsed.data) }
      } catch (error) {
        return toReply(error, operation, logger)
      }
    })
}

function toReply(error: unknown, operation: string, logger: Logger): Reply {
  if (error instanceof AppError) {
    if (error.status >= 500) logger.warn({ error, operation }, 'A call cannot be answered.')
    return { ok: false, error: error.toBody(), status: error.status }
  }
  logger.error({ error, operation }, 'A call failed.')
  const hidden = new AppError('internal_error', 'Something went wrong.')
  return { ok: false, error: hidden.toBody(), status: hidden.status }
}

function toIssue({ path, message }: { path: PropertyKey[]; message: string }) {
  return { path: path.map(String).join('.'), message }
}
