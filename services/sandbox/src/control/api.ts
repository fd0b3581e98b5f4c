import { AppError } from '@herald/contracts/errors'
import { Platform } from '@herald/contracts/platforms'
import { type NextFunction, type Request, type Response, Router } from 'express'
import { z } from 'zod'
import { Fault } from '../faults.ts'
import { readBody } from '../read-body.ts'
import { livePosts, type Playing, reset, type Stage } from './stage.ts'

const MAX_BYTES = 100_000

const NewAccount = z.strictObject({
  platform: Platform,
  username: z
    .string()
    .regex(/^[a-z][a-z0-9]{2,17}$/, 'is 3 to 18 small letters and digits, a letter first')
    .optional(),
})
const Where = z.strictObject({ platform: Platform.optional(), account: z.string().optional() })
const Revoke = z.strictObject({ platform: Platform, account: z.string() })
const Advance = z.strictObject({
  advanceSeconds: z
    .number()
    .min(0)
    .max(10 * 366 * 86_400),
})

/** The control API of the sandbox, mounted at `/_`: what tests and people do that no platform offers. */
export function controlApi(stage: Stage): Router {
  const router = Router()
  addAccounts(router, stage)
  addRecords(router, stage)
  addFaults(router, stage)
  addClock(router, stage)
  router.post('/reset', (_request, response) => {
    reset(stage)
    response.status(204).end()
  })
  router.use(() => {
    throw new AppError('not_found', 'The control API has no such endpoint.')
  })
  router.use(answerError)
  return router
}

function addAccounts(router: Router, stage: Stage): void {
  router.get('/platforms', (_request, response) => {
    const data = stage.playing.map(({ platform, name, baseUrl, settings }) => ({
      platform,
      name,
      baseUrl: baseUrl(),
      settings: settings(),
    }))
    response.json({ data })
  })
  router.post('/accounts', async (request, response) => {
    const { platform, username } = await bodyOf(request, NewAccount)
    const playing = find(stage, platform)
    const made = playing.standIn.createAccount(username)
    response.status(201).json({ platform, baseUrl: playing.baseUrl(), ...made })
  })
  router.get('/accounts', (_request, response) => {
    const data = stage.playing.flatMap(({ platform, standIn }) =>
      standIn.accounts().map((account) => ({ platform, ...account })),
    )
    response.json({ data })
  })
  router.post('/tokens/revoke', async (request, response) => {
    const { platform, account } = await bodyOf(request, Revoke)
    findWith(stage, platform, account).standIn.revoke(account)
    response.json({ platform, account, revoked: true })
  })
}

function addRecords(router: Router, stage: Stage): void {
  router.get('/posts', (request, response) => {
    response.json({ data: livePosts(stage, check(Where, request.query)) })
  })
  router.get('/requests', (request, response) => {
    response.json({ data: stage.requests.list().filter(isAt(check(Where, request.query))) })
  })
  router.get('/uploads', (request, response) => {
    response.json({ data: stage.uploads.list().filter(isAt(check(Where, request.query))) })
  })
}

type Received = { platform: Platform; account: string | null }

function isAt(where: z.infer<typeof Where>): (one: Received) => boolean {
  return ({ platform, account }) =>
    (where.platform === undefined || platform === where.platform) &&
    (where.account === undefined || account === where.account)
}

function addFaults(router: Router, stage: Stage): void {
  const { faults } = stage
  router.post('/faults', async (request, response) => {
    const fault = await bodyOf(request, Fault)
    if (fault.account === undefined) find(stage, fault.platform)
    else findWith(stage, fault.platform, fault.account)
    faults.arm(fault)
    response.status(201).json(fault)
  })
  router.get('/faults', (_request, response) => void response.json({ data: faults.list() }))
  router.delete('/faults', (_request, response) => {
    faults.clear()
    response.status(204).end()
  })
}

function addClock(router: Router, { clock }: Stage): void {
  router.get('/clock', (_request, response) => void response.json(timeOf(clock.now())))
  router.post('/clock', async (request, response) => {
    const { advanceSeconds } = await bodyOf(request, Advance)
    clock.advance(advanceSeconds)
    response.json(timeOf(clock.now()))
  })
}

function timeOf(now: number): { now: string } {
  return { now: new Date(now).toISOString() }
}

function find({ playing }: Stage, platform: Platform): Playing {
  const found = playing.find((one) => one.platform === platform)
  if (!found) throw invalid('The sandbox does not play this platform.', { platform })
  return found
}

function findWith(stage: Stage, platform: Platform, account: string): Playing {
  const playing = find(stage, platform)
  if (!playing.standIn.accounts().some((one) => one.account === account))
    throw invalid('There is no such account.', { platform, account })
  return playing
}

async function bodyOf<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  const bytes = await readBody(request, MAX_BYTES)
  return check(schema, parse(bytes?.toString() ?? ''))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('validation_failed', 'The body is not JSON.', { cause: error })
  }
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  throw invalid('The request is not valid.', { issues })
}

function invalid(message: string, details: Record<string, unknown>): AppError {
  return new AppError('validation_failed', message, { details })
}

function answerError(error: unknown, _request: Request, response: Response, next: NextFunction) {
  if (!(error instanceof AppError)) return next(error)
  response.status(error.status).json({ error: error.toBody() })
}
