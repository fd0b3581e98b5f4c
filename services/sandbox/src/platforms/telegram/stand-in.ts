import { freeUsername } from '../../free-username.ts'
import { randomText } from '../../random-text.ts'
import type { LivePost, NewAccount, StandIn, StandInEntry, World } from '../../stand-in.ts'
import { openMeter, rateLimited } from './meter.ts'
import { telegramOperations } from './operations.ts'
import { errorAnswer } from './refusals.ts'
import { openTelegram, type Telegram } from './server.ts'
import type { Chat, Message } from './state.ts'
import { fileUrl, messageUrl } from './views.ts'

export const telegram: StandInEntry = {
  platform: 'TELEGRAM',
  name: 'Telegram',
  path: 'telegram',
  open: openStandIn,
  settings: (baseUrl) => ({ TELEGRAM_API_URL: baseUrl, TELEGRAM_APP_URL: `${baseUrl}/t.me` }),
}

/** A stand-in of the Bot API, with chats and a bot of its own for each grant. */
function openStandIn(world: World): StandIn {
  const server = openTelegram(world)
  return {
    operations: telegramOperations(server),
    accountOf: () => undefined,
    meter: openMeter(world),
    broken: () => errorAnswer(500, 'Internal Server Error'),
    rateLimited,
    // The token of a bot does not expire.
    expireAccess: () => errorAnswer(401, 'Unauthorized'),
    tooLarge: () => errorAnswer(413, 'Request Entity Too Large'),
    notFound: () => errorAnswer(404, 'Not Found'),
    createAccount: (username) => createAccount(server, username),
    accounts: () =>
      [...server.state.chats.values()].map(({ id, title }) => ({
        account: String(id),
        username: title,
      })),
    revoke: (account) => {
      const bots = [...server.state.bots.values()]
      const tokens = bots.filter(({ chatId }) => String(chatId) === account)
      server.record({ type: 'bots-revoked', tokens: tokens.map(({ token }) => token) })
    },
    live: () => server.state.messages.filter(isFirst).map((message) => liveOf(server, message)),
  }
}

/** A bot that may post in the chat with this title. The beginning of a new title says what chat it is. */
function createAccount(server: Telegram, given: string | undefined): NewAccount {
  const { chats, bots } = server.state
  const taken = [...chats.values()].map(({ title }) => title)
  const title = given ?? freeUsername(taken)
  const existing = [...chats.values()].findLast((one) => one.title === title)
  const chat = existing ?? newChat(title, 1_000_000 + chats.size)
  if (!existing) server.record({ type: 'chat-made', chat })
  const id = 700_000_000 + bots.size
  const bot = {
    id,
    token: `${id}:${randomText(26)}`,
    username: `sandbox${id}_bot`,
    chatId: chat.id,
  }
  server.record({ type: 'bot-added', bot })
  const account = String(chat.id)
  return { account, credentials: { botToken: bot.token, chat: account } }
}

/** `group…` is a group, `private…` a channel without a name, everything else a public channel. */
function newChat(title: string, number: number): Chat {
  if (title.startsWith('group')) return { id: -number, type: 'group', title, username: null }
  const username = title.startsWith('private') ? null : title
  return { id: -1_000_000_000_000 - number, type: 'channel', title, username }
}

/** An album is one post, known by its first message. */
function isFirst({ album, id }: Message): boolean {
  return album === null || album === `album${id}`
}

function liveOf(server: Telegram, message: Message): LivePost {
  const { id, chatId, text, date, album } = message
  const parts = server.state.messages.filter(
    (one) => one === message || (album !== null && one.album === album),
  )
  return {
    account: String(chatId),
    id: String(id),
    url: messageUrl(server, message),
    text,
    media: parts.flatMap(({ file }) =>
      file
        ? [
            {
              mimeType: file.mimeType,
              sizeBytes: file.sizeBytes,
              sha256: file.sha256,
              width: file.width,
              height: file.height,
              altText: null,
              url: fileUrl(server, file),
            },
          ]
        : [],
    ),
    at: new Date(date * 1000).toISOString(),
  }
}
