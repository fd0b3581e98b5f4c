import type { IncomingHttpHeaders } from 'node:http'
import { headerText } from './header-text.ts'

/**
 * What a server calls its file: by `Content-Disposition` (RFC 6266), or by the last segment of the URL. Decoded and
 * not cleaned: it may hold anything, as slashes, control characters or nothing but dots.
 */
export function fileNameOf(headers: IncomingHttpHeaders, url: URL): string | undefined {
  const disposition = headers['content-disposition'] ?? ''
  const segment = url.pathname.slice(url.pathname.lastIndexOf('/') + 1)
  return extendedName(disposition) || plainName(disposition) || percentDecoded(segment) || undefined
}

/** `filename*=UTF-8''a%20b.png` (RFC 8187). Other character sets are so rare that the plain name has to do. */
function extendedName(disposition: string): string {
  const [, encoded = ''] =
    /(?:^|;)\s*filename\*\s*=\s*"?utf-8'[^']*'([^;\s"]+)/i.exec(disposition) ?? []
  return percentDecoded(encoded)
}

/** `filename="a b.png"`, or without the quotes. */
function plainName(disposition: string): string {
  const match = /(?:^|;)\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))/i.exec(disposition)
  const [, quoted, token = ''] = match ?? []
  return headerText(quoted === undefined ? token.trim() : quoted.replace(/\\(.)/g, '$1'))
}

/** Text that is not well encoded is left as it is. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
