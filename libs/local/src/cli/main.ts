import { accounts } from '@herald/contracts/accounts'
import { channels } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import { media } from '@herald/contracts/media'
import { posts } from '@herald/contracts/posts'
import { connectBus } from '@herald/service/bus'
import { createLogger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { dataFolder, findRunning } from '../run-file.ts'
import { CHANNEL_COMMANDS } from './channels.ts'
import { type Command, UsageError } from './command.ts'
import { DEAD_LETTER_COMMANDS } from './dead-letters.ts'
import { EVENT_COMMANDS } from './events.ts'
import { KEY_COMMANDS } from './keys.ts'
import { MEDIA_COMMANDS } from './media.ts'
import { ORGANIZATION_COMMANDS } from './organizations.ts'
import { POST_COMMANDS } from './posts.ts'
import { PROJECTION_COMMANDS } from './projections.ts'
import { type Call, readCall } from './usage.ts'

const COMMANDS: Command[] = [
  ...ORGANIZATION_COMMANDS,
  ...KEY_COMMANDS,
  ...CHANNEL_COMMANDS,
  ...POST_COMMANDS,
  ...MEDIA_COMMANDS,
  ...EVENT_COMMANDS,
  ...DEAD_LETTER_COMMANDS,
  ...PROJECTION_COMMANDS,
]

const print = (line: string) => void process.stdout.write(`${line}\n`)
const complain = (line: string) => void process.stderr.write(`${line}\n`)

// Whoever reads the output, such as `head`, has seen enough.
process.stdout.on('error', () => process.exit(0))
const exitCode = await main(process.argv.slice(2))
// A NATS that never answered is still being tried, and would keep the process.
process.stdout.write('', () => process.exit(exitCode))

async function main(args: string[]): Promise<number> {
  try {
    const call = readCall(COMMANDS, args)
    if ('help' in call) {
      print(call.help)
      return 0
    }
    return await run(call)
  } catch (error) {
    return explain(error)
  }
}

async function run(call: Call): Promise<number> {
  const { natsUrl, publicUrl } = await findHerald()
  const logger = createLogger({ service: 'herald', level: 'silent' })
  const bus = connectBus({ natsUrl, name: 'herald', logger })
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  try {
    await within(5_000, bus.connection())
    // The command line speaks over NATS only, so it has no use for the secret of the direct road.
    const options = { bus, secret: '', logger }
    const result = await call.command.run(
      {
        accounts: rpcClient(accounts, options),
        channels: rpcClient(channels, options),
        media: rpcClient(media, options),
        posts: rpcClient(posts, options),
        bus,
        publicUrl,
        print,
        signal: interrupted.signal,
      },
      call,
    )
    if (!result) return 0
    if (call.isJson) print(JSON.stringify(result.json))
    else for (const line of result.lines) print(line)
    return result.exitCode ?? 0
  } finally {
    await bus.close()
  }
}

async function findHerald(): Promise<{ natsUrl: string; publicUrl: string | undefined }> {
  const { NATS_URL: natsUrl, PUBLIC_URL: publicUrl } = process.env
  if (natsUrl) return { natsUrl, publicUrl: publicUrl || undefined }
  const folder = dataFolder(process.env)
  const running = await findRunning(folder)
  if (running) return { natsUrl: running.natsUrl, publicUrl: publicUrl || running.publicUrl }
  throw new Error(`Herald does not run on ${folder}. Start it with "npm start", or set NATS_URL.`)
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('NATS does not answer.')), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

function explain(error: unknown): number {
  if (error instanceof UsageError) {
    complain(`${error.message} Try --help.`)
    return 2
  }
  if (error instanceof AppError) {
    complain(`${error.code}: ${error.message}`)
    if (error.details) complain(JSON.stringify(error.details))
    return 1
  }
  complain(error instanceof Error ? error.message : String(error))
  return 1
}
