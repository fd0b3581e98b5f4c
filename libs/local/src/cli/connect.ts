import { type Channel, ChannelEventData } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import { CloudEvent, eventSubject } from '@herald/contracts/events'
import { Platform } from '@herald/contracts/platforms'
import { z } from 'zod'
import { type Command, type Context, type Result, UsageError } from './command.ts'

/** `channel connect`: with credentials, or by sending a person to the platform. */
export const CHANNEL_CONNECT: Command = {
  name: 'channel connect',
  help: 'Connect an account of a platform, or connect it again.',
  options: {
    org: { value: 'ORG', help: 'The organization it belongs to.', required: true },
    platform: {
      value: 'P',
      help: 'Such as MASTODON or BLUESKY.',
      required: true,
      check: platformOf,
    },
    'base-url': { value: 'URL', help: 'The address of the instance, where there are many.' },
    credentials: { value: 'JSON', help: "The platform's credentials.", check: credentialsOf },
    oauth: { help: 'Print an address on which a person grants access, in place of credentials.' },
    wait: { help: 'With --oauth: wait until the account is connected, and print the channel too.' },
    name: { value: 'NAME', help: 'A name of your own.' },
  },
  async run(context, { options, flags }) {
    const isOAuth = flags.has('oauth')
    if (isOAuth === (options.credentials !== undefined))
      throw new UsageError('Give one of --credentials and --oauth.')
    if (flags.has('wait') && !isOAuth) throw new UsageError('--wait goes with --oauth.')
    const asked = {
      organizationId: options.org ?? '',
      platform: platformOf(options.platform),
      baseUrl: options['base-url'],
      name: options.name,
    }
    if (isOAuth) return connectInBrowser(context, asked, flags)
    const credentials = credentialsOf(options.credentials)
    return connected(await context.channels.connect({ ...asked, credentials }))
  },
}

type Asked = Omit<Parameters<Context['channels']['beginConnect']>[0], 'redirectUri'>

async function connectInBrowser(
  context: Context,
  asked: Asked,
  flags: ReadonlySet<string>,
): Promise<Result> {
  if (context.publicUrl === undefined)
    throw new UsageError('Set PUBLIC_URL to the address at which browsers reach the API.')
  const page = `/connect/callback/${asked.platform.toLowerCase()}`
  const redirectUri = context.publicUrl.replace(/\/+$/, '') + page
  const isWaiting = flags.has('wait')
  // Listening begins first: a person may be quick.
  const events = isWaiting ? await subscribe(context, asked.organizationId) : undefined
  try {
    const begun = await context.channels.beginConnect({ ...asked, redirectUri })
    const lines = [
      'Open this address in a browser. It works once and for 15 minutes:',
      '',
      `  ${begun.url}`,
    ]
    if (!events) return { json: begun, lines }
    for (const line of flags.has('json') ? [JSON.stringify(begun)] : lines) context.print(line)
    const signal = AbortSignal.any([
      context.signal,
      AbortSignal.timeout(Math.max(0, Date.parse(begun.expiresAt) - Date.now())),
    ])
    signal.addEventListener('abort', () => events.unsubscribe())
    const channelId = await nextChannel(events, asked.platform)
    const { data } = await context.channels.list({
      organizationId: asked.organizationId,
      channels: [channelId],
    })
    const [channel] = data
    if (!channel) throw new AppError('not_found', 'The channel was disconnected at once.')
    return connected(channel)
  } finally {
    events?.unsubscribe()
  }
}

async function subscribe({ bus }: Context, organizationId: string) {
  const connection = await bus.connection()
  const events = connection.subscribe(eventSubject('channel', organizationId, 'connected'))
  await connection.flush()
  return events
}

/** The next channel of the platform that is connected. */
async function nextChannel(
  events: AsyncIterable<{ string: () => string }>,
  platform: Platform,
): Promise<string> {
  for await (const message of events) {
    const { data } = CloudEvent.extend({ data: ChannelEventData }).parse(
      JSON.parse(message.string()),
    )
    if (data.platform === platform) return data.channelId
  }
  throw new AppError('not_found', 'Nobody has granted access in time.')
}

function connected(channel: Channel): Result {
  return { json: channel, lines: [`Connected ${channel.id} (${channel.username}).`] }
}

function platformOf(text: string | undefined): Platform {
  const parsed = Platform.safeParse(text?.toUpperCase())
  if (parsed.success) return parsed.data
  throw new UsageError(`--platform must be one of ${Platform.options.join(', ')}.`)
}

function credentialsOf(text: string | undefined): Record<string, string> {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(text ?? ''))
  } catch {
    throw new UsageError('--credentials must be a JSON object whose values are strings.')
  }
}
