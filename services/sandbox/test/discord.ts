import { type Asked, type TestSandbox } from './sandbox.ts'

/** A guild with the bot, and calls in its name. */
export async function discordBot(sandbox: TestSandbox, username?: string) {
  const { account, credentials } = await sandbox.account('DISCORD', username)
  const headers = { authorization: `Bot ${credentials['botToken']}` }
  const ask = (method: string, path: string, body?: unknown): Promise<Asked> =>
    sandbox.ask(method, `/discord/api/v10${path}`, { body, headers })
  return {
    account,
    credentials,
    ask,
    post: (body: unknown) => ask('POST', `/channels/${account}/messages`, body),
    webhook: async (name = 'News'): Promise<{ id: string; token: string; url: string }> =>
      (await ask('POST', `/channels/${account}/webhooks`, { name })).body,
  }
}

/** A message with files, as a form. */
export function aForm(payload: object, ...files: Buffer[]): FormData {
  const form = new FormData()
  form.set('payload_json', JSON.stringify(payload))
  files.forEach((bytes, index) =>
    form.set(`files[${index}]`, new Blob([new Uint8Array(bytes)]), `picture${index}.png`),
  )
  return form
}
