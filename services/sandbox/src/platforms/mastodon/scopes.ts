const SCOPE =
  /^(?:profile|follow|push|(?:read|write)(?::(?:accounts|blocks|bookmarks|conversations|favourites|filters|follows|lists|media|mutes|notifications|reports|search|statuses))?)$/

/** The scopes of a list that is separated by spaces; undefined where one of them does not exist. */
export function parseScopes(text: string): string[] | undefined {
  const scopes = text.split(/[\s+]+/).filter((scope) => scope !== '')
  return scopes.length > 0 && scopes.every((scope) => SCOPE.test(scope)) ? scopes : undefined
}

/** Whether everything wanted is part of what is granted; `write` has `write:statuses` in it. */
export function covers(granted: string[], wanted: string[]): boolean {
  return wanted.every(
    (scope) => granted.includes(scope) || granted.includes(scope.split(':')[0] ?? scope),
  )
}
