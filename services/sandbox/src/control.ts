import { randomBytes } from 'node:crypto'
import express, { type ErrorRequestHandler, Router } from 'express'
import { z } from 'zod'
import { NewFault, PlatformName } from './faults.ts'
import type { Core, SandboxPlatform } from './platform.ts'

const NewAccount = z.strictObject({ platform: PlatformName, username: z.string().optional() })
const Filter = z.object({
  platform: PlatformName.optional(),
  account: z.string().min(1).optional(),
})
const Place = z.strictObject({ platform: PlatformName, account: z.string().min(1) })
const Advance = z.strictObject({
  advanceSeconds: z
    .number()
    .positive()
    .max(400 * 86_400),
})

/** The side of the sandbox that no platform has: making accounts, arming faults, and the truth of what is live. */
export function controlRouter(core: Core, platforms: SandboxPlatform[]): Router {
  const router = Router()
  router.use(express.json())
  const find = (name: PlatformName) => platforms.find(({ platform }) => platform === name)

  router.post('/accounts', ({ body }, response) => {
    const { platform, username } = NewAccount.parse(body)
    const made = core.store.batch(() => makeAccount(find(platform), username))
    const { baseUrl, account, credentials } = made
    response.status(201).json({ platform, account, baseUrl: core.url + baseUrl, credentials })
  })
  router.get('/posts', ({ query }, response) => {
    const matches = filterOf(query)
    response.json({ data: livePosts(platforms).filter(matches) })
  })
  router.get('/requests', ({ query }, response) => {
    response.json({ data: core.requests.list().filter(filterOf(query)) })
  })
  router.post('/faults', ({ body }, response) => {
    const fault = NewFault.parse(body)
    core.faults.arm(fault)
    response.status(201).json(fault)
  })
  router.get('/faults', (_request, response) => {
    response.json({ data: core.faults.list() })
  })
  router.delete('/faults', (_request, response) => {
    core.faults.clear()
    response.json({})
  })
  router.post('/tokens/revoke', ({ body }, response) => {
    const { platform, account } = Place.parse(body)
    if (!core.store.batch(() => find(platform)?.revoke(account)))
      throw invalid('account', `There is no ${platform} account ${account}.`)
    response.json({})
  })
  router.post('/reset', (_request, response) => {
    core.store.reset()
    core.faults.clear()
    response.json({})
  })
  router.post('/clock', ({ body }, response) => {
    core.clock.advance(Advance.parse(body).advanceSeconds)
    response.json({ now: core.clock.iso() })
  })
  router.use((_request, response) => {
    response.status(404).json(problem('not_found', 'There is no such operation.'))
  })
  router.use(answerProblem)
  return router
}

/** What is live on all platforms, oldest first. */
export function livePosts(platforms: SandboxPlatform[]) {
  return platforms
    .flatMap((platform) => platform.livePosts())
    .toSorted((one, other) => one.at.localeCompare(other.at))
}

function makeAccount(platform: SandboxPlatform | undefined, wanted: string | undefined) {
  const username = wanted ?? `demo${randomBytes(4).toString('hex')}`
  if (!platform?.username.test(username))
    throw invalid('username', 'The platform does not allow this username.')
  return { baseUrl: platform.path, ...platform.createAccount(username) }
}

function filterOf(query: unknown) {
  const { platform, account } = Filter.parse(query)
  return (row: { platform: string; account: string | null }) =>
    (platform === undefined || row.platform === platform) &&
    (account === undefined || row.account === account)
}

function invalid(path: string, message: string): z.ZodError {
  return new z.ZodError([{ code: 'custom', path: [path], message, input: undefined }])
}

function problem(code: string, message: string, details?: unknown) {
  return { error: { code, message, ...(details !== undefined && { details }) } }
}

const answerProblem: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (error instanceof z.ZodError) {
    const issues = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
    const message = issues.map((issue) => `${issue.path || 'body'}: ${issue.message}`).join('; ')
    response.status(422).json(problem('validation_failed', message, { issues }))
  } else if (isUnreadable(error)) {
    response.status(422).json(problem('validation_failed', 'The body is not readable JSON.'))
  } else next(error)
}

/** The body parser marks what the caller did wrong with a status of 4xx. */
function isUnreadable(error: unknown): boolean {
  return z.object({ status: z.number().min(400).max(499) }).safeParse(error).success
}
