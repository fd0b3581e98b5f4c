import type { Identity, OAuth, Settings } from '@herald/platforms/platform'
import { expect } from 'vitest'

export const REDIRECT_URI = 'http://127.0.0.1:9/connect/callback'

/** What a person does in a browser: opens the page of a platform, chooses an account, decides, and is sent back. */
export async function visit(
  url: string,
  { account, decision = 'approve' }: { account: string; decision?: 'approve' | 'deny' },
): Promise<Record<string, string>> {
  const page = await (await fetch(url)).text()
  const action = /<form method="post" action="([^"]+)"/.exec(page)?.[1] ?? ''
  expect(page).toContain(`value="${account}"`)
  const body = new URLSearchParams({ sandbox_account: account, sandbox_decision: decision })
  for (const [, name = '', value = ''] of page.matchAll(
    /type="hidden" name="([^"]+)" value="([^"]*)"/g,
  ))
    body.set(name, value.replaceAll('&amp;', '&'))
  const sentBack = await fetch(action, { method: 'POST', body, redirect: 'manual' })
  const location = new URL(sentBack.headers.get('location') ?? '')
  expect(location.href).toContain(REDIRECT_URI)
  return Object.fromEntries(location.searchParams)
}

/** Grants access from the first page to the stored secrets. */
export async function grantAccess(
  oauth: OAuth | undefined,
  settings: Settings,
  account: string,
): Promise<Identity[]> {
  const grant = { baseUrl: '', settings, redirectUri: REDIRECT_URI, now: Date.now() }
  if (!oauth) throw new Error('The platform has no OAuth.')
  const { url, kept } = await oauth.begin({ ...grant, state: 'state-1' })
  const query = await visit(url, { account })
  expect(query['state']).toBe('state-1')
  return await oauth.finish({ ...grant, kept, query })
}
