import { covers } from './authenticate.ts'

const PARTS: Record<string, string[]> = {
  read: 'accounts blocks bookmarks favourites filters follows lists me mutes notifications search statuses'.split(
    ' ',
  ),
  write:
    'accounts blocks bookmarks conversations favourites filters follows lists media mutes notifications reports statuses'.split(
      ' ',
    ),
}
const KNOWN = new Set([
  'profile',
  'follow',
  'push',
  'read',
  'write',
  ...Object.entries(PARTS).flatMap(([scope, parts]) => parts.map((part) => `${scope}:${part}`)),
])

/** The scopes of a text such as `read write:statuses`; without one, Mastodon's default. Undefined when one is unknown. */
export function readScopes(text: string | undefined): string[] | undefined {
  const scopes = [...new Set((text ?? '').split(/[\s+]+/).filter((scope) => scope !== ''))]
  if (!scopes.every((scope) => KNOWN.has(scope))) return undefined
  return scopes.length === 0 ? ['read'] : scopes
}

/** Whether an app that registered some scopes may ask for others. */
export function mayAskFor(registered: readonly string[], asked: readonly string[]): boolean {
  return asked.every((scope) => covers(registered, scope))
}
