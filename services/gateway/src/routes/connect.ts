import { AppError } from '@herald/contracts/errors'
import { Platform } from '@herald/contracts/platforms'
import type { Logger } from '@herald/service/logger'
import { type NextFunction, type Request, Router } from 'express'
import { type Brake, brake } from '../brake.ts'
import { toAppError } from '../envelope.ts'
import { readBytes } from '../json-body.ts'
import type { EdgeResponse, Middleware } from '../locals.ts'
import { readQuery } from '../validate.ts'
import type { ChannelsClient } from './channels.ts'
import { choicePage, CONNECT_POLICY, connectedPage, refusalPage } from './connect-page.ts'
import { refuseMethod } from './mount.ts'

export type ConnectDeps = {
  channels: Pick<ChannelsClient, 'finishConnect' | 'chooseAccounts'>
  logger: Logger
  /** Milliseconds that only ever grow. */
  elapsed?: () => number
}

const PATH = '/connect/callback/:platform'
const RETRY_AFTER_SECONDS = 5

/**
 * The pages to which platforms send people back, and the form of their choice. They ask for no key: what is shown there
 * is good once, and only the channels service knows whose it is. An address that shows bad ones must wait, as with keys.
 */
export function connectRoutes(deps: ConnectDeps): Router {
  const { channels, elapsed } = deps
  const addresses = brake({ ...(elapsed && { elapsed }) })
  const router = Router({ strict: true, caseSensitive: true })
  const refuse = refuseMethod(['GET', 'POST'])
  const place = router.route(PATH)
  place.all(asPage)
  // Else Express would let GET answer.
  place.head(refuse)
  place.get(
    refuseMany(addresses),
    (request, response, next) => void finish(channels, request, response).catch(next),
  )
  place.post(
    refuseMany(addresses),
    requireForm,
    readBytes,
    (request, response, next) => void choose(channels, request, response).catch(next),
  )
  place.all(refuse)
  router.use(PATH, explain(deps.logger, addresses))
  return router
}

const asPage: Middleware = (_request, response, next) => {
  response.locals.route = PATH
  response.setHeader('Content-Security-Policy', CONNECT_POLICY)
  response.setHeader('Referrer-Policy', 'no-referrer')
  response.setHeader('X-Robots-Tag', 'noindex')
  next()
}

async function finish(channels: ConnectDeps['channels'], request: Request, response: EdgeResponse) {
  const platform = platformOf(request)
  const answer = await channels.finishConnect({ platform, query: readQuery(request.url) })
  if (answer.outcome === 'connected') return sendPage(response, 200, connectedPage(answer.channels))
  sendPage(response, 200, choicePage(answer.token, answer.accounts, platform.toLowerCase()))
}

async function choose(channels: ConnectDeps['channels'], request: Request, response: EdgeResponse) {
  const platform = platformOf(request)
  const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString() : '')
  const token = form.get('token') ?? ''
  const accounts = form.getAll('account')
  const answer = await channels.chooseAccounts({ platform, token, accounts })
  sendPage(response, 200, connectedPage(answer.channels))
}

/** The name stands in the address in small letters, and in no other way. */
function platformOf({ params }: Request): Platform {
  const name = String(params['platform'])
  const parsed = Platform.safeParse(name.toUpperCase())
  if (parsed.success && name === name.toLowerCase()) return parsed.data
  throw new AppError('not_found', 'There is no such platform.')
}

const requireForm: Middleware = ({ headers }, _response, next) => {
  if (/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) return next()
  throw new AppError('validation_failed', 'This page takes its own form only.', { status: 415 })
}

function refuseMany(addresses: Brake): Middleware {
  return ({ ip = '' }, response, next) => {
    const waitMs = addresses.waitOf(ip, undefined)
    if (waitMs === 0) return next()
    response.setHeader('Retry-After', Math.ceil(waitMs / 1_000))
    throw new AppError('rate_limited', 'Too many addresses that are not valid. Wait a minute.')
  }
}

/** The one place where a failure becomes a page. What a person can do nothing about is told in one sentence. */
function explain(logger: Logger, addresses: Brake) {
  // Express tells this middleware by its four parameters.
  return (error: unknown, request: Request, response: EdgeResponse, next: NextFunction): void => {
    const { status, message } = meaningOf(error)
    // What has begun, or has nobody to go to, cannot be changed.
    if (response.headersSent || !response.writable) return next(error)
    if (status === 404 || status === 422) addresses.noteBad(request.ip ?? '', undefined)
    if (status === 500) logger.error({ error }, 'A person could not be connected.')
    if (status === 503) {
      logger.warn({ error }, 'A part of Herald did not answer.')
      response.setHeader('Retry-After', RETRY_AFTER_SECONDS)
    }
    sendPage(response, status, refusalPage(message))
  }
}

function meaningOf(error: unknown): { status: number; message: string } {
  const known = toAppError(error)
  if (!known) return { status: 500, message: 'Something went wrong in Herald. It has been logged.' }
  return { status: known.status, message: known.status < 500 ? known.message : UNAVAILABLE }
}

const UNAVAILABLE = 'The platform or a part of Herald does not answer right now.'

function sendPage(response: EdgeResponse, status: number, page: string): void {
  const bytes = Buffer.from(page)
  response.statusCode = status
  response.setHeader('Content-Type', 'text/html; charset=utf-8')
  response.setHeader('Content-Length', bytes.length)
  response.end(bytes)
}
