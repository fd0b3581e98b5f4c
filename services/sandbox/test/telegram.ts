import { type Asked, type TestSandbox } from './sandbox.ts'

/** A chat with a bot that may post there, and calls in the bot's name. */
export async function telegramBot(sandbox: TestSandbox, username?: string) {
  const { account, credentials } = await sandbox.account('TELEGRAM', username)
  const { botToken = '' } = credentials
  const ask = (method: string, body?: unknown): Promise<Asked> =>
    sandbox.ask('POST', `/telegram/bot${botToken}/${method}`, { body })
  return {
    account,
    credentials,
    ask,
    post: (text: string, more: Record<string, unknown> = {}) =>
      ask('sendMessage', { chat_id: account, text, ...more }),
  }
}

/** Parameters and files as a form; what is no text is JSON. */
export function telegramForm(
  fields: Record<string, unknown>,
  files: Record<string, Buffer> = {},
): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  for (const [name, bytes] of Object.entries(files))
    form.set(name, new Blob([new Uint8Array(bytes)]), `${name}.bin`)
  return form
}
