/**
 * Goes through the page of the sandbox's Mastodon as a person does who grants access to an account. Answers where the
 * browser is sent then, which is a page of Herald's.
 */
export async function grantAccess(url: string, account: string): Promise<string> {
  const page = await (await fetch(url, { signal: AbortSignal.timeout(10_000) })).text()
  const body = new URLSearchParams({ account, decision: 'approve' })
  for (const [, name = '', value = ''] of page.matchAll(/name="(\w+)" value="([^"]*)" \/>/g))
    body.set(name, value.replaceAll('&amp;', '&'))
  const action = /action="([^"]+)"/.exec(page)?.[1] ?? ''
  const answer = await fetch(action, {
    method: 'POST',
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  })
  const location = answer.headers.get('location')
  if (location === null) throw new Error(`Nobody is sent back: ${await answer.text()}`)
  return location
}
