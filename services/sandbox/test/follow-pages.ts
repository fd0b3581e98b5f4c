import { expect } from 'vitest'

/**
 * Grants access as a person does: opens the page, chooses an account and presses a button. Answers the query with which
 * the person is sent back.
 */
export async function followPages(
  url: string,
  { username, decision = 'approve' }: { username?: string; decision?: 'approve' | 'deny' },
): Promise<Record<string, string>> {
  const page = await fetch(url)
  const text = await page.text()
  expect(page.status).toBe(200)
  const form = new URLSearchParams()
  for (const [, name = '', value = ''] of text.matchAll(
    /<input type="hidden" name="([^"]*)" value="([^"]*)"/g,
  ))
    form.set(unescape(name), unescape(value))
  const options = [...text.matchAll(/<option value="([^"]*)">([^<]*)</g)]
  const [, account = ''] = options.find(([, , name]) => !username || name === username) ?? []
  form.set('sandbox_account', account)
  form.set('sandbox_decision', decision)
  const action = unescape(/<form method="post" action="([^"]*)"/.exec(text)?.[1] ?? '')
  const answer = await fetch(action, { method: 'POST', body: form, redirect: 'manual' })
  expect(answer.status).toBe(302)
  return Object.fromEntries(new URL(answer.headers.get('location') ?? '').searchParams)
}

function unescape(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
