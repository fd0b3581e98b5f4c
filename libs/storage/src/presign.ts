import type { PresignedPut, PresignPut } from './storage.ts'
import {
  ALGORITHM,
  canonicalQuery,
  encode,
  namesOf,
  scopeOf,
  signatureOf,
  signedDate,
  UNSIGNED_PAYLOAD,
} from './sigv4.ts'

/** Whose key signs, and for which region. */
export type Credentials = { accessKey: string; secretKey: string; region: string }

/** A week, more than which no S3 server accepts. */
export const MAX_EXPIRES_SECONDS = 604_800

/**
 * Puts a signature into an address, so that whoever has it may send this one request with these headers until it
 * expires. Header names are in lower case; `host` is added.
 */
export function presign(
  method: string,
  url: URL,
  input: { headers?: Record<string, string>; expiresSeconds: number; now?: Date },
  { accessKey, secretKey, region }: Credentials,
): string {
  const date = signedDate(input.now ?? new Date())
  const headers = { ...input.headers, host: url.host }
  const query: [string, string][] = [
    ['X-Amz-Algorithm', ALGORITHM],
    ['X-Amz-Credential', `${accessKey}/${scopeOf({ date, region })}`],
    ['X-Amz-Date', date],
    ['X-Amz-Expires', String(input.expiresSeconds)],
    ['X-Amz-SignedHeaders', namesOf(headers)],
  ]
  const path = url.pathname
  const request = { method, path, query, headers, payloadHash: UNSIGNED_PAYLOAD }
  const signature = signatureOf(request, { secretKey, date, region })
  return `${url.origin}${path}?${canonicalQuery(query)}&X-Amz-Signature=${signature}`
}

/**
 * Signs the PUT of one object: its address, its exact size and type, and with `ifNoneMatch` that there must be none
 * yet. Size and type count only because they are signed: without them a store takes anything at the address. `endpoint`
 * is what clients reach; it may have a path. Throws `RangeError` or `TypeError` for what cannot be sent.
 */
export function presignPut(
  endpoint: string,
  bucket: string,
  { key, contentType, contentLength, expiresSeconds }: PresignPut,
  options: { credentials: Credentials; ifNoneMatch: boolean; now?: Date },
): PresignedPut {
  checkInput({ contentType, contentLength, expiresSeconds })
  // Signatures name seconds, so that is when they start to count.
  const now = new Date(Math.floor((options.now ?? new Date()).getTime() / 1000) * 1000)
  const headers = {
    'Content-Type': contentType,
    'Content-Length': String(contentLength),
    ...(options.ifNoneMatch ? { 'If-None-Match': '*' } : {}),
  }
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const input = { headers: Object.fromEntries(lowerCase), expiresSeconds, now }
  return {
    url: presign('PUT', objectUrl(endpoint, bucket, key), input, options.credentials),
    headers,
    expiresAt: new Date(now.getTime() + expiresSeconds * 1000).toISOString(),
  }
}

/** The address of an object in the path style, `https://host/bucket/key`. */
export function objectUrl(endpoint: string, bucket: string, key: string): URL {
  const path = [bucket, ...key.split('/')].map(encode).join('/')
  return new URL(`${endpoint.replace(/\/+$/, '')}/${path}`)
}

function checkInput(input: Omit<PresignPut, 'key'>): void {
  const { contentType, contentLength, expiresSeconds } = input
  if (!Number.isSafeInteger(contentLength) || contentLength < 0) {
    throw new RangeError(`${contentLength} is not a number of bytes.`)
  }
  if (
    !Number.isInteger(expiresSeconds) ||
    expiresSeconds < 1 ||
    expiresSeconds > MAX_EXPIRES_SECONDS
  ) {
    throw new RangeError(`An address cannot be valid for ${expiresSeconds} seconds.`)
  }
  if (!/^[!-~]+( [!-~]+)*$/.test(contentType)) {
    throw new TypeError(`${JSON.stringify(contentType.slice(0, 80))} is not a content type.`)
  }
}
