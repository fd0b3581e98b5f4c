import type { Platform } from '@herald/contracts/platforms'
import type { Logger } from '@herald/service/logger'
import { type Request, type Response, Router } from 'express'
import { type Answer, type Call, Refusal } from './call.ts'
import { deliver } from './deliver.ts'
import type { FaultKind, Faults } from './faults.ts'
import { readBody } from './read-body.ts'
import type { Requests } from './requests.ts'
import type { Operation, StandIn } from './stand-in.ts'
import type { Uploads } from './uploads.ts'

const MAX_BYTES = 1_000_000

export type ServeDeps = {
  platform: Platform
  faults: Faults
  requests: Requests
  uploads: Uploads
  now: () => number
  logger: Logger
}

/** The HTTP side of a stand-in: limits, faults, the call itself, the record of it, and only then the answer. */
export function serveOperations(standIn: StandIn, deps: ServeDeps): Router {
  const router = Router()
  for (const operation of standIn.operations)
    router[operation.method](operation.path, (request, response) =>
      serve(standIn, operation, deps, request, response),
    )
  router.use((request, response) =>
    deliver(response, dated(standIn.notFound(request.path), deps), undefined),
  )
  return router
}

async function serve(
  standIn: StandIn,
  operation: Operation,
  deps: ServeDeps,
  request: Request,
  response: Response,
): Promise<void> {
  const body = await readBody(request, operation.maxBytes ?? MAX_BYTES).catch(() => 'gone' as const)
  if (body === 'gone') return
  if (!body) return deliver(response, dated(standIn.tooLarge(), deps), undefined)
  const call = callOf(request, body)
  const account = (await operation.accountOf?.(call)) ?? standIn.accountOf(call)
  const kind = operation.kindOf?.(call) ?? operation.kind
  const fault = deps.faults.take({ platform: deps.platform, account, kind })
  const { headers, refusal } = standIn.meter(call, operation, account)
  const applied = applyFault(standIn, call, fault) ?? refusal
  const real = applied ?? (await handle(standIn, operation, call, deps))
  const shown = fault === 'error_after' ? standIn.broken() : real
  if (kind === 'commit') record(deps, operation, call, account, fault, real, shown)
  if (kind === 'media' && operation.method === 'post')
    recordUpload(deps, call, account, fault, real, shown)
  deliver(response, dated({ ...shown, headers: { ...headers, ...shown.headers } }, deps), fault)
}

/** The answer of a fault that keeps the call from being carried out. */
function applyFault(
  standIn: StandIn,
  call: Call,
  fault: FaultKind | undefined,
): Answer | undefined {
  switch (fault) {
    case 'drop_before':
    case 'error_before':
      return standIn.broken()
    case 'rate_limit':
      return standIn.rateLimited()
    case 'auth_expired':
      return standIn.expireAccess(call)
    case 'drop_after':
    case 'hang_after':
    case 'error_after':
    case 'malformed':
    case 'slow':
    case undefined:
      return undefined
  }
}

async function handle(
  standIn: StandIn,
  operation: Operation,
  call: Call,
  { logger }: ServeDeps,
): Promise<Answer> {
  try {
    return await operation.handle(call)
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    logger.error({ error, path: call.path }, 'A stand-in failed.')
    return standIn.broken()
  }
}

function record(
  { platform, requests, now, logger }: ServeDeps,
  operation: Operation,
  call: Call,
  account: string | undefined,
  fault: FaultKind | undefined,
  real: Answer,
  shown: Answer,
): void {
  const entry = {
    platform,
    account: account ?? null,
    method: call.method,
    path: call.path,
    key: operation.keyOf?.(call) ?? null,
    at: new Date(now()).toISOString(),
    fault: fault ?? null,
    status: shown.status,
    applied: real.applied !== undefined,
    postId: real.applied ?? null,
  }
  requests.record(entry)
  logger.info(entry, 'commit')
}

function recordUpload(
  { platform, uploads, now }: ServeDeps,
  { body }: Call,
  account: string | undefined,
  fault: FaultKind | undefined,
  real: Answer,
  shown: Answer,
): void {
  uploads.record({
    platform,
    account: account ?? null,
    at: new Date(now()).toISOString(),
    sizeBytes: body.length,
    fault: fault ?? null,
    status: shown.status,
    applied: real.status < 300,
  })
}

/** Clients tell the platform's clock by the Date header. */
function dated(answer: Answer, { now }: ServeDeps): Answer {
  return { ...answer, headers: { date: new Date(now()).toUTCString(), ...answer.headers } }
}

function callOf(request: Request, body: Buffer): Call {
  const at = request.url.indexOf('?')
  return {
    method: request.method,
    path: request.path,
    params: Object.fromEntries(
      Object.entries(request.params).map(([name, value]) => [name, String(value)]),
    ),
    query: new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1)),
    headers: request.headers,
    body,
    ip: request.socket.remoteAddress ?? '',
  }
}
