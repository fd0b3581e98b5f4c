import { randomBytes, randomInt } from 'node:crypto'
import { AppError } from '@herald/contracts/errors'
import express, { type NextFunction, type Request, type Response, Router } from 'express'
import { z } from 'zod'
import { Fault } from './faults.ts'
import { Account, type PlatformName } from './ledger.ts'
import type { World } from './world.ts'

const Place = z.object({
  platform: Account.shape.platform.optional(),
  account: z.string().optional(),
})
const NewAccount = z.strictObject({
  platform: Account.shape.platform,
  username: z
    .string()
    .regex(/^[a-z0-9_]{1,30}$/)
    .optional(),
})

/** How a platform makes an account, and what `channel connect` takes for it. */
export type AccountMaker = {
  path: string
  make: (username: string) => Account
  credentials: (account: Account) => Record<string, string>
}

export type ControlDeps = World & {
  makers: Record<PlatformName, AccountMaker>
  advance: (ms: number) => void
}

/** The control side of the sandbox: accounts, faults, the clock, and what is live. */
export function controlRouter(deps: ControlDeps): Router {
  const router = Router()
  const { ledger, faults } = deps
  router.use(express.json())
  router.post('/accounts', (request, response) => {
    const { platform, username = `user${randomInt(1_000_000)}` } = parse(NewAccount, request.body)
    const { path, make, credentials } = deps.makers[platform]
    const account = make(username)
    ledger.write({ kind: 'account', account })
    response.status(201).json({
      ...{ platform, account: account.id, username: account.username },
      ...{ baseUrl: `${deps.url()}${path}`, credentials: credentials(account) },
    })
  })
  router.get('/posts', (request, response) => {
    const data = ledger.posts.filter(isAt(request)).map(({ record: _, media, ...post }) => ({
      ...post,
      media: media.map(({ id: _id, account: _account, ...facts }) => facts),
    }))
    response.json({ data })
  })
  router.get('/requests', (request, response) => {
    response.json({ data: ledger.requests.filter(isAt(request)) })
  })
  router.post('/faults', (request, response) => {
    const fault = parse(Fault, request.body)
    faults.arm(fault)
    response.status(201).json(fault)
  })
  router.get('/faults', (_, response) => void response.json({ data: faults.list() }))
  router.delete('/faults', (_, response) => {
    faults.clear()
    response.json({})
  })
  router.post('/tokens/revoke', (request, response) => {
    const { platform, account } = parse(
      z.strictObject({ platform: Account.shape.platform, account: z.string() }),
      request.body,
    )
    ledger.write({ kind: 'revoked', platform, id: account })
    response.json({})
  })
  router.post('/clock', (request, response) => {
    const { advanceSeconds } = parse(z.strictObject({ advanceSeconds: z.number() }), request.body)
    deps.advance(advanceSeconds * 1000)
    response.json({ now: new Date(deps.now()).toISOString() })
  })
  router.post('/reset', (_, response) => {
    ledger.write({ kind: 'reset' })
    faults.clear()
    response.json({})
  })
  router.use(sendEnvelope)
  return router
}

/** A random text for tokens. */
export function randomToken(bytes = 24): string {
  return randomBytes(bytes).toString('base64url')
}

function isAt(request: Request) {
  const { platform, account } = parse(Place, request.query)
  return (entry: { platform: string; account: string }) =>
    (platform === undefined || entry.platform === platform) &&
    (account === undefined || entry.account === account)
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  throw new AppError('validation_failed', 'The request is not valid.', { details: { issues } })
}

function sendEnvelope(error: unknown, _: Request, response: Response, _next: NextFunction): void {
  const known =
    error instanceof AppError
      ? error
      : new AppError('validation_failed', 'The body is not valid JSON.', { cause: error })
  response.status(known.status).json({ error: known.toBody() })
}
