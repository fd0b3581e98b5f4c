import type { Connection } from './connection.ts'
import { type HeraldError, HeraldUnreachable } from './errors.ts'
import { type Answer, errorOf, readAnswer } from './answer.ts'
import { type Ending, isUnsent, mayRepeat, waitBefore } from './retry-rules.ts'

/** What a caller may say about a single call. */
export type CallOptions = {
  /** Ends the call; it then rejects with the signal's reason. */
  signal?: AbortSignal
  /** Instead of the key that each POST is given by itself. The same call with the same key is carried out once. */
  idempotencyKey?: string
}

export type Call = CallOptions & {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the base URL. */
  path: string
  query?: Record<string, string | number | undefined>
  body?: unknown
  /** The least time for one try, in milliseconds, for calls that take long. */
  leastTimeoutMs?: number
}

type Try = { answer: Answer } | { failure: HeraldUnreachable }

/**
 * Makes a call, again and again where that is safe, and answers the body of its success. Throws `HeraldError` for a
 * refusal and `HeraldUnreachable` when there is no answer.
 */
export async function send<Result>(connection: Connection, call: Call): Promise<Result> {
  const timeoutMs = Math.max(connection.timeoutMs, call.leastTimeoutMs ?? 0)
  const endsAt = performance.now() + Math.max(connection.deadlineMs, call.leastTimeoutMs ?? 0)
  const request = requestOf(connection, call)
  for (let tries = 1; ; tries += 1) {
    const left = endsAt - performance.now()
    const outcome = await tryOnce(connection, call, request, Math.min(timeoutMs, left))
    if ('answer' in outcome) tell(connection, call, outcome.answer)
    if ('answer' in outcome && outcome.answer.isSuccess) return outcome.answer.body as Result
    const error = 'answer' in outcome ? errorOf(outcome.answer) : outcome.failure
    const ending = endingOf(outcome)
    if (tries > connection.maxRetries || !mayRepeat(ending, isRepeatable(call))) throw error
    const asked = ending.kind === 'answer' ? ending.retryAfterMs : null
    const waitMs = waitBefore(tries, asked, Math.random())
    // Whoever asks to wait longer than the call may take will not be asked again by it.
    if (waitMs >= endsAt - performance.now()) throw error
    await connection.wait(waitMs, call.signal)
  }
}

/** Reading does no harm, and every POST carries an `Idempotency-Key`, the same in all its tries. */
function isRepeatable({ method }: Call): boolean {
  return method === 'GET' || method === 'POST'
}

function requestOf({ apiKey, baseUrl }: Connection, call: Call): Request {
  const { method, path, query = {}, body } = call
  const url = new URL(`${baseUrl}${path}`)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value))
  return new Request(url, {
    method,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${apiKey}`,
      ...(method === 'POST' && { 'idempotency-key': call.idempotencyKey ?? crypto.randomUUID() }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // A redirect could carry the key to somebody else.
    redirect: 'manual',
  })
}

async function tryOnce(
  connection: Connection,
  call: Call,
  request: Request,
  timeoutMs: number,
): Promise<Try> {
  const deadline = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)))
  const signal = call.signal ? AbortSignal.any([deadline, call.signal]) : deadline
  try {
    return { answer: await readAnswer(await connection.fetch(request.clone(), { signal })) }
  } catch (error) {
    call.signal?.throwIfAborted()
    return {
      failure: new HeraldUnreachable(`${call.method} ${call.path} got no readable answer.`, {
        isUnsent: isUnsent(error),
        cause: error,
      }),
    }
  }
}

function tell({ onAnswer }: Connection, { method, path }: Call, answer: Answer): void {
  const { status, requestId, rateLimit, headers } = answer
  onAnswer({ method, path, status, requestId, rateLimit, headers })
}

function endingOf(outcome: Try): Ending {
  if ('failure' in outcome) return { kind: 'no_answer', isUnsent: outcome.failure.isUnsent }
  const { status, retryAfterMs } = outcome.answer
  return {
    kind: 'answer',
    status,
    retryAfterMs,
    isInProgress: isInProgress(errorOf(outcome.answer)),
  }
}

/** Another try with the same `Idempotency-Key` is still being carried out. */
function isInProgress({ status, details }: HeraldError): boolean {
  return status === 409 && details.reason === 'idempotency_in_progress'
}
