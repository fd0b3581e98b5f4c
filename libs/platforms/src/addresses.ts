/** The address of a path on a platform, whether or not the base address ends with a slash. */
export function addressOf(baseUrl: string, path: string, query?: Record<string, string>): string {
  const search = query ? `?${new URLSearchParams(query).toString()}` : ''
  return `${baseUrl.replace(/\/+$/, '')}${path}${search}`
}

/** An address that a platform named, if it is one that a person may be sent to. */
export function webAddress(text: string | null | undefined): string | null {
  return text && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null
}
