import { Bot, GrammyError, InputFile, InputMediaBuilder } from 'grammy'
import { expect, test } from 'vitest'
import { gif, mp4, png } from './media-bytes.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'
import { telegramBot } from './telegram.ts'

async function arrange(sandbox: TestSandbox, username?: string) {
  const { account, credentials } = await telegramBot(sandbox, username)
  const { botToken = '' } = credentials
  const { api } = new Bot(botToken, { client: { apiRoot: `${sandbox.url}/telegram` } })
  return { api, chat: Number(account) }
}

test('the client library grammy sends texts, files and albums, and reads chats', async () => {
  await using sandbox = await testSandbox()
  const { api, chat } = await arrange(sandbox, 'harbour')
  const me = await api.getMe()
  expect(await api.getChat('@harbour')).toMatchObject({ id: chat, type: 'channel' })
  expect((await api.getChatMember(chat, me.id)).status).toBe('administrator')
  const text = await api.sendMessage(chat, '<b>From</b> grammy', { parse_mode: 'HTML' })
  expect(text).toMatchObject({ text: 'From grammy', entities: [{ type: 'bold' }] })
  const photo = await api.sendPhoto(chat, new InputFile(png(8, 6)), { caption: 'A picture' })
  expect(photo.photo[0]).toMatchObject({ width: 8, height: 6 })
  await api.sendPhoto(chat, photo.photo[0]?.file_id ?? '')
  await api.sendAnimation(chat, new InputFile(gif()))
  await api.sendVideo(chat, new InputFile(mp4()), { supports_streaming: true })
  await api.sendDocument(chat, new InputFile(Buffer.from('%PDF-1.7'), 'a.pdf'))
  const album = await api.sendMediaGroup(chat, [
    InputMediaBuilder.photo(new InputFile(png()), { caption: 'An album' }),
    InputMediaBuilder.video(new InputFile(mp4())),
  ])
  expect(album.length).toBe(2)
  expect((await sandbox.live()).map(({ text: shown }: { text: string }) => shown)).toEqual([
    'From grammy',
    'A picture',
    '',
    '',
    '',
    '',
    'An album',
  ])
})

test('the client library grammy understands refusals', async () => {
  await using sandbox = await testSandbox()
  const { api, chat } = await arrange(sandbox, 'group1')
  const refusal = async (call: Promise<unknown>) => {
    const error = await call.catch((reason: unknown) => reason)
    if (!(error instanceof GrammyError)) throw new Error('It was not refused.')
    return { code: error.error_code, says: error.description, ...error.parameters }
  }
  expect(await refusal(api.sendMessage(chat, ''))).toEqual({
    code: 400,
    says: 'Bad Request: message text is empty',
  })
  await sandbox.fault({ platform: 'TELEGRAM', kind: 'rate_limit', times: 1 })
  expect(await refusal(api.sendMessage(chat, 'x'))).toEqual({
    code: 429,
    says: 'Too Many Requests: retry after 2',
    retry_after: 2,
  })
  expect(await refusal(api.sendMessage(chat, '#sandbox-fail:migrate'))).toEqual({
    code: 400,
    says: 'Bad Request: group chat was upgraded to a supergroup chat',
    migrate_to_chat_id: chat - 1_000_000_000_000,
  })
})
