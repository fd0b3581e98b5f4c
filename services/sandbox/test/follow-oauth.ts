import type { OAuth } from '@herald/platforms/platform'
import type { TestSandbox } from './sandbox.ts'

/** Does what a person does in a browser: opens the page that a connector leads to, and presses a button there. */
export async function pressButton(
  sandbox: TestSandbox,
  url: string,
  account: string,
  decision: 'approve' | 'deny' = 'approve',
): Promise<Record<string, string>> {
  const page = await fetch(url)
  const html = await page.text()
  if (page.status !== 200) throw new Error(html)
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? ''
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  const form = new URLSearchParams()
  for (const [, name = '', value = ''] of fields) form.set(name, plain(value))
  form.set('sandbox_account', account)
  form.set('sandbox_decision', decision)
  const answer = await sandbox.ask('POST', action.slice(sandbox.url.length), {
    body: new TextEncoder().encode(form.toString()),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  return Object.fromEntries(new URL(answer.headers.get('location') ?? '').searchParams)
}

/** From the first address to the accounts that were granted. */
export async function grantAccess(
  sandbox: TestSandbox,
  oauth: OAuth,
  { settings, account, now }: { settings: Record<string, string>; account: string; now: number },
) {
  const input = { baseUrl: '', settings, redirectUri: 'https://herald.example/callback', now }
  const { url, kept } = await oauth.begin({ ...input, state: 'state-1' })
  const query = await pressButton(sandbox, url, account)
  return {
    input: { ...input, kept, query },
    granted: await oauth.finish({ ...input, kept, query }),
  }
}

function plain(value: string): string {
  return value.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"')
}
