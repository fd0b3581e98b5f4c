import type { Request, Response } from 'express'
import type { CallKind, FaultKind } from './faults.ts'
import type { Answer, Core, Manners } from './platform.ts'

const RESET_AHEAD_MS = 1000
const SLOW_PIECES = 10
const SLOW_PAUSE_MS = 100

/**
 * One call of a platform, with the fault that is armed for it. The work and its entry in the list of requests become
 * one line of the ledger, and that is written before anything is answered.
 */
export function exchange(core: Core, manners: Manners) {
  return (on: CallKind, work: (request: Request) => Answer) =>
    (request: Request, response: Response): void => {
      const account = manners.accountOf(request)
      const fault = core.faults.take({ platform: manners.platform, account, on })
      const answer = core.store.batch(() => {
        const { headers, refused } = manners.admit({ request, account, on })
        const instead = fault && insteadOfWork(fault, manners, core.clock.now())
        const { applied = false, ...answer } = instead ?? refused ?? work(request)
        if (on === 'commit') {
          const { platform } = manners
          const at = core.clock.iso()
          core.requests.record({ platform, account, at, applied, fault: fault ?? null })
        }
        return { ...answer, headers: { ...headers, ...answer.headers } }
      })
      core.logger.debug({ path: request.path, status: answer.status, fault }, 'Call')
      deliver(response, fault === 'error_after' ? manners.serverError() : answer, fault)
    }
}

/** The answer of a fault that keeps the work from being done. */
function insteadOfWork(fault: FaultKind, manners: Manners, now: number): Answer | undefined {
  if (fault === 'drop_before' || fault === 'error_before') return manners.serverError()
  if (fault === 'rate_limit') return manners.rateLimited(now + RESET_AHEAD_MS)
  if (fault === 'auth_expired') return manners.authExpired()
  return undefined
}

function deliver(response: Response, answer: Answer, fault: FaultKind | undefined): void {
  if (fault === 'hang_after') return
  if (fault === 'drop_before' || fault === 'drop_after') {
    response.socket?.destroy()
    return
  }
  if (fault === 'malformed') {
    response.status(200).type('application/json').send('{"id": "unfinish')
    return
  }
  response.status(answer.status).set(answer.headers ?? {})
  if (fault === 'slow') dribble(response, JSON.stringify(answer.body))
  else response.json(answer.body)
}

/** Sends the text in pieces, over about a second. */
function dribble(response: Response, text: string): void {
  const bytes = Buffer.from(text)
  const size = Math.ceil(bytes.length / SLOW_PIECES)
  response.type('application/json').set('content-length', String(bytes.length))
  const next = (from: number) => {
    if (response.destroyed) return
    if (from >= bytes.length) {
      response.end()
      return
    }
    response.write(bytes.subarray(from, from + size))
    setTimeout(next, SLOW_PAUSE_MS, from + size)
  }
  next(0)
}
