import { loadConfig } from '@herald/service/config'
import { createLogger, type Logger } from '@herald/service/logger'
import express, { type Express, type Response } from 'express'
import { createServer, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Answer } from './call.ts'
import { openClock } from './clock.ts'
import { SandboxEnv, type SandboxConfig } from './config.ts'
import { controlApi } from './control/api.ts'
import { changing, PAGE_SCRIPT, showTimeline } from './control/page.ts'
import type { Stage } from './control/stage.ts'
import { deliver } from './deliver.ts'
import { openFaults } from './faults.ts'
import { openFiles } from './files.ts'
import { openLedger } from './ledger.ts'
import { STAND_INS } from './platforms/registry.ts'
import { openRequests } from './requests.ts'
import { serveOperations } from './serve-operations.ts'
import { openUploads } from './uploads.ts'

export type StartOptions = {
  /** Milliseconds since 1970, before what the clock is advanced by. */
  now?: () => number
}

export type RunningSandbox = { url: string; close: () => Promise<void> }

/** Starts the sandbox: every platform below its path, the control API at `/_` and the page at `/`. */
export async function start(
  env: Record<string, string | undefined>,
  { now = Date.now }: StartOptions = {},
): Promise<RunningSandbox> {
  const config = loadConfig(SandboxEnv, env)
  const logger = createLogger({ service: 'sandbox', level: config.LOG_LEVEL })
  const address = { url: '' }
  const stage = openStage(config, now, () => address.url)
  const server = createServer(createApp(stage, logger))
  const upgraded = serveUpgrades(server, stage)
  try {
    const port = await listen(server, config)
    const host = ['0.0.0.0', '::'].includes(config.HOST) ? '127.0.0.1' : config.HOST
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
    address.url = (config.SANDBOX_PUBLIC_URL ?? url).replace(/\/+$/, '')
    logger.info({ url: address.url }, 'The sandbox is open.')
    return { url: address.url, close: () => close(server, stage, upgraded) }
  } catch (error) {
    await close(server, stage, upgraded)
    throw error
  }
}

function openStage(config: SandboxConfig, base: () => number, url: () => string): Stage {
  const ledger = openLedger(config.SANDBOX_DATA_DIR)
  const files = openFiles(config.SANDBOX_DATA_DIR)
  const clock = openClock(ledger, base)
  const playing = STAND_INS.map(({ platform, name, path, open, settings }) => {
    const baseUrl = () => `${url()}/${path}`
    const refusesByRate = config.SANDBOX_RATE_LIMITS === 'on'
    const standIn = open({ baseUrl, now: clock.now, ledger, files, refusesByRate })
    return {
      platform,
      name,
      path,
      baseUrl,
      settings: () => settings?.(baseUrl()) ?? {},
      standIn,
    }
  })
  const [requests, uploads] = [openRequests(ledger), openUploads(ledger)]
  return { playing, faults: openFaults(), requests, uploads, clock, files, ledger }
}

function createApp(stage: Stage, logger: Logger): Express {
  const { faults, requests, uploads } = stage
  const { now } = stage.clock
  const app = express()
  app.disable('x-powered-by')
  app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }))
  app.get('/', (_request, response) => send(response, showTimeline(stage)))
  app.get('/_changing', (_request, response) => void response.send(changing(stage).html))
  app.get('/_page.js', (_request, response) => void response.type('js').send(PAGE_SCRIPT))
  app.use('/_', controlApi(stage))
  for (const { platform, path, standIn } of stage.playing)
    app.use(
      `/${path}`,
      serveOperations(standIn, { platform, faults, requests, uploads, now, logger }),
    )
  return app
}

function send(response: Response, answer: Answer): void {
  deliver(response, answer, undefined)
}

function listen(server: Server, { HOST, PORT }: SandboxConfig): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(PORT, HOST, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : PORT)
    })
  })
}

/** Hands requests for a websocket to the platform below whose path they are. Answers the connections that are open. */
function serveUpgrades(server: Server, { playing }: Stage): Set<Duplex> {
  const open = new Set<Duplex>()
  server.on('upgrade', (request, socket, head) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    const [, first, path = ''] = /^\/([^/?]+)(\/[^?]*)?/.exec(request.url ?? '') ?? []
    const upgrade = playing.find((one) => one.path === first)?.standIn.upgrade
    if (upgrade) upgrade(path, request, socket, head)
    else socket.destroy()
  })
  return open
}

/** Calls that hang by a fault are cut off, and so are websockets. */
async function close(
  server: Server,
  { ledger, files }: Stage,
  upgraded: Set<Duplex>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  for (const socket of upgraded) socket.destroy()
  await closed
  ledger.close()
  files.close()
}
