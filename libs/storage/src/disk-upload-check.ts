import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isKey } from './key.ts'
import { MAX_EXPIRES_SECONDS, type Credentials } from './presign.ts'
import { ALGORITHM, scopeOf, signatureOf, UNSIGNED_PAYLOAD } from './sigv4.ts'
import { UploadRefused } from './upload-refused.ts'

/** What makes an upload a good one. */
export type UploadRules = { publicUrl: () => string; bucket: string; credentials: Credentials }

type Claims = Record<(typeof PARAMETERS)[number], string>

const PARAMETERS = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-SignedHeaders',
  'X-Amz-Signature',
] as const

// Without these in the signature a client could send anything of any size.
const ALWAYS_SIGNED = ['host', 'content-length', 'content-type']

/**
 * Checks all that can be checked of an upload before its body: method, path, length, signature and expiry. Answers
 * what may be stored where; throws `UploadRefused`.
 */
export function checkUpload(
  request: IncomingMessage,
  rules: UploadRules,
): { key: string; length: number; isNew: boolean } {
  if (request.method !== 'PUT') {
    throw new UploadRefused(405, 'MethodNotAllowed', 'Only PUT is allowed here.')
  }
  const [path = '', query = ''] = splitOnce(request.url ?? '', '?')
  const key = keyOf(path, rules)
  const length = lengthOf(request)
  checkSignature(request, path, claimsOf(query), rules.credentials)
  return { key, length, isNew: request.headers['if-none-match'] !== undefined }
}

/** Nothing is decoded: the characters of a key stand for themselves in an address. */
function keyOf(path: string, { publicUrl, bucket }: UploadRules): string {
  const base = new URL(publicUrl()).pathname.replace(/\/+$/, '')
  const rest = path.startsWith(`${base}/`) ? path.slice(base.length + 1) : ''
  const [first, key = ''] = splitOnce(rest, '/')
  if (first !== bucket) throw new UploadRefused(404, 'NoSuchBucket', 'There is no such bucket.')
  if (!isKey(key))
    throw new UploadRefused(400, 'InvalidURI', 'This address cannot be of an object.')
  return key
}

/** Chunks come without a length; what has both is refused by Node already. */
function lengthOf({ headers }: IncomingMessage): number {
  const length = headers['content-length'] ?? ''
  if (!/^\d{1,15}$/.test(length)) {
    throw new UploadRefused(411, 'MissingContentLength', 'A Content-Length is needed.')
  }
  return Number(length)
}

/** The parameters of a signature, each once and no other. */
function claimsOf(query: string): Claims {
  const pairs = [...new URLSearchParams(query)]
  const claims = Object.fromEntries(pairs)
  const isComplete = PARAMETERS.every((name) => (claims[name] ?? '') !== '')
  if (!isComplete) throw new UploadRefused(403, 'AccessDenied', 'The address is not signed.')
  if (pairs.length !== PARAMETERS.length) throw mismatch()
  return claims as Claims
}

function checkSignature(
  request: IncomingMessage,
  path: string,
  claims: Claims,
  { accessKey, secretKey, region }: Credentials,
): void {
  const date = claims['X-Amz-Date']
  const names = claims['X-Amz-SignedHeaders'].split(';')
  if (
    claims['X-Amz-Algorithm'] !== ALGORITHM ||
    !ALWAYS_SIGNED.every((name) => names.includes(name))
  )
    throw mismatch()
  if (claims['X-Amz-Credential'] !== `${accessKey}/${scopeOf({ date, region })}`) {
    throw new UploadRefused(403, 'InvalidAccessKeyId', 'The address is of another access key.')
  }
  checkUnsignedHeaders(request, names)
  const signed = {
    method: 'PUT',
    path,
    query: PARAMETERS.filter((name) => name !== 'X-Amz-Signature').map(
      (name) => [name, claims[name]] as const,
    ),
    headers: valuesOf(request, names),
    payloadHash: UNSIGNED_PAYLOAD,
  }
  const signature = signatureOf(signed, { secretKey, date, region })
  if (!isSame(signature, claims['X-Amz-Signature'])) throw mismatch()
  checkExpiry(date, Number(claims['X-Amz-Expires']))
}

/** Headers that would ask a store for more than was signed: open access, metadata, a redirect. */
function checkUnsignedHeaders({ headers }: IncomingMessage, names: string[]): void {
  const extra = Object.keys(headers).filter((name) => name.startsWith('x-amz-'))
  if (extra.some((name) => !names.includes(name))) {
    throw new UploadRefused(403, 'AccessDenied', 'There are headers that are not signed.')
  }
}

function valuesOf({ headers }: IncomingMessage, names: string[]): Record<string, string> {
  const values = names.map((name) => {
    const value = headers[name]
    if (typeof value !== 'string') throw mismatch()
    return [name, value]
  })
  return Object.fromEntries(values)
}

/** Only reached with a true signature, so date and duration are as they were signed. */
function checkExpiry(date: string, seconds: number): void {
  const iso = date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5')
  const end = Date.parse(iso) + seconds * 1000
  // Written so that what is no number counts as expired.
  const isValid = seconds <= MAX_EXPIRES_SECONDS && Date.now() < end
  if (!isValid) throw new UploadRefused(403, 'AccessDenied', 'The address has expired.')
}

function mismatch(): UploadRefused {
  return new UploadRefused(
    403,
    'SignatureDoesNotMatch',
    'The request is not the one that was signed. Send the headers exactly as given.',
  )
}

function isSame(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The parts of a text before and behind the first `separator`, or all of it. */
function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}
