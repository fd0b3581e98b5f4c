import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { ask } from './ask.ts'
import { checkUrl, type UrlRules } from './check-url.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { DownloadRefused } from './download-refused.ts'
import { fileNameOf } from './file-name.ts'
import { headerText } from './header-text.ts'
import { limitedBody } from './limited-body.ts'
import { openConnection } from './open-connection.ts'
import { isPublicAddress, isPublicOrLocalAddress } from './public-address.ts'
import { nameServers, type Resolve, systemLookup } from './resolve-name.ts'
import { vettedAddresses } from './vetted-addresses.ts'

export { DownloadRefused } from './download-refused.ts'

const MAX_REDIRECTS = 3
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const TIMINGS = {
  dnsMs: 5_000,
  /** To connect, and again for the handshake of TLS. */
  connectMs: 5_000,
  /** From the call to the last byte of the body, redirects and a slow reader included. */
  totalMs: 60_000,
  minBytesPerSecond: 10_240,
  /** The rate is taken over windows of this length, so it is first judged after one. */
  rateWindowMs: 5_000,
}

export type DownloadOptions = {
  maxBytes: number
  /** For local use: private and loopback addresses, local names and all ports are allowed. */
  allowPrivate?: boolean
  /** Origins that are never asked, over http or https: Herald's own API, file origin and storage. */
  deniedOrigins?: readonly string[]
  /** 80 and 443 unless given. */
  ports?: readonly number[]
  timings?: Partial<typeof TIMINGS>
  resolve?: Resolve
  /** Which IP addresses may be asked, whatever `allowPrivate` says. See `publicAddressOutside`. */
  isAllowedAddress?: (address: string) => boolean
  signal?: AbortSignal | undefined
}

export type Download = {
  /** Has to be read to its end or destroyed. Its error is a DownloadRefused. */
  body: Readable
  /** As the server says. */
  contentType: string | undefined
  /** The length that the body has if it does not fail. */
  contentLength: number | undefined
  /** From Content-Disposition or the URL, decoded, not cleaned. */
  fileName: string | undefined
  /** Where the file was in the end. */
  url: string
}

/**
 * Downloads a file from an address that a stranger gave, and reaches nothing but public hosts on the way. Resolves
 * once the file begins. Throws DownloadRefused, with one message for every reason.
 */
export async function download(address: string, options: DownloadOptions): Promise<Download> {
  const guard = guardOf(options)
  const deadline = startDeadline(guard.timings.totalMs, 'total_deadline', options.signal)
  try {
    const { response, url } = await follow(address, guard, deadline.signal)
    const file = fileOf(response, url, options.maxBytes)
    return { ...file, body: bodyOf(response, options.maxBytes, guard.timings, deadline) }
  } catch (error) {
    deadline[Symbol.dispose]()
    throw error
  }
}

type Guard = UrlRules & { timings: typeof TIMINGS; resolve: Resolve }

function guardOf(options: DownloadOptions): Guard {
  const { allowPrivate = false } = options
  return {
    ports: options.ports ?? (allowPrivate ? undefined : [80, 443]),
    deniedHosts: new Set(options.deniedOrigins?.map((origin) => new URL(origin).host)),
    areLocalNamesAllowed: allowPrivate,
    isAllowedAddress:
      options.isAllowedAddress ?? (allowPrivate ? isPublicOrLocalAddress : isPublicAddress),
    timings: { ...TIMINGS, ...options.timings },
    resolve: options.resolve ?? (allowPrivate ? systemLookup : nameServers()),
  }
}

/** The first answer that is no redirect. Every address on the way is checked like the first. */
async function follow(address: string, guard: Guard, signal: AbortSignal) {
  let url = checkUrl(address, guard)
  for (let redirects = 0; ; redirects++) {
    const response = await get(url, guard, signal)
    if (!REDIRECTS.has(response.statusCode ?? 0)) return { response, url }
    response.socket.destroy()
    if (redirects === MAX_REDIRECTS) throw new DownloadRefused('too_many_redirects')
    url = redirectTarget(response.headers, url, guard)
  }
}

async function get(url: URL, guard: Guard, signal: AbortSignal): Promise<IncomingMessage> {
  signal.throwIfAborted()
  const { isAllowedAddress, resolve, timings } = guard
  const { dnsMs, connectMs } = timings
  const addresses = await vettedAddresses(url, { resolve, isAllowedAddress, dnsMs, signal })
  const socket = await openConnection(url, addresses, { isAllowedAddress, connectMs, signal })
  signal.addEventListener('abort', () => socket.destroy(), { once: true })
  return ask(socket, url, signal)
}

function redirectTarget({ location }: IncomingHttpHeaders, from: URL, rules: UrlRules): URL {
  if (!location) throw new DownloadRefused('redirect_without_location')
  const url = checkUrl(headerText(location), rules, from)
  if (from.protocol === 'https:' && url.protocol === 'http:')
    throw new DownloadRefused('redirect_to_http')
  return url
}

/** What the head of the answer says about the file; throws if it is none, or one that would be refused later. */
function fileOf(response: IncomingMessage, url: URL, maxBytes: number): Omit<Download, 'body'> {
  try {
    const { statusCode = 0, headers } = response
    if (statusCode !== 200) throw new DownloadRefused(`status_${statusCode}`)
    if (isEncoded(headers)) throw new DownloadRefused('encoded')
    const contentLength = lengthOf(headers)
    if (contentLength !== undefined && contentLength > maxBytes)
      throw new DownloadRefused('too_large')
    const fileName = fileNameOf(headers, url)
    return { contentType: headers['content-type'], contentLength, fileName, url: url.href }
  } catch (error) {
    response.socket.destroy()
    throw error
  }
}

/** An encoded body has a length that nobody knows before it is unpacked. */
function isEncoded(headers: IncomingHttpHeaders): boolean {
  const content = headers['content-encoding'] ?? 'identity'
  const transfer = headers['transfer-encoding'] ?? 'chunked'
  return content.trim().toLowerCase() !== 'identity' || transfer.trim().toLowerCase() !== 'chunked'
}

function lengthOf(headers: IncomingHttpHeaders): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

function bodyOf(
  response: IncomingMessage,
  maxBytes: number,
  { minBytesPerSecond, rateWindowMs }: typeof TIMINGS,
  deadline: Deadline,
): Readable {
  const { signal } = deadline
  const body = limitedBody(response, { maxBytes, minBytesPerSecond, rateWindowMs, signal })
  body.once('close', () => deadline[Symbol.dispose]())
  return body
}
