import { createHash, createHmac } from 'node:crypto'

/** What AWS's Signature Version 4 covers of a request. `path` is as sent; query values are not encoded yet. */
export type SignedRequest = {
  method: string
  path: string
  query: readonly (readonly [name: string, value: string])[]
  /** The signed headers, with names in lower case. */
  headers: Readonly<Record<string, string>>
  payloadHash: string
}

/** Whose key signs, when, and where it counts. `date` is as in `20130524T000000Z`. */
export type Signer = { secretKey: string; date: string; region: string }

/** The hash of the payload in requests whose body is not covered by the signature. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD'

export const ALGORITHM = 'AWS4-HMAC-SHA256'

/** The signature of a request to S3, in hex. */
export function signatureOf(request: SignedRequest, { secretKey, date, region }: Signer): string {
  const text = [
    ALGORITHM,
    date,
    scopeOf({ date, region }),
    createHash('sha256').update(canonicalRequest(request)).digest('hex'),
  ].join('\n')
  const parts = [date.slice(0, 8), region, 's3', 'aws4_request', text]
  return parts
    .reduce<Buffer | string>((key, part) => hmac(key, part), `AWS4${secretKey}`)
    .toString('hex')
}

/** The day, the region and the service that a signature counts for. */
export function scopeOf({ date, region }: { date: string; region: string }): string {
  return `${date.slice(0, 8)}/${region}/s3/aws4_request`
}

/** The names of signed headers as they stand in a signature, `host;x-amz-date`. */
export function namesOf(headers: SignedRequest['headers']): string {
  return Object.keys(headers).toSorted().join(';')
}

/** Query parameters encoded and ordered as they are signed, which is also a valid query. */
export function canonicalQuery(query: SignedRequest['query']): string {
  return query
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&')
}

/** Percent-encodes all but the unreserved characters of RFC 3986. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** A moment as signatures write it, `20130524T000000Z`. */
export function signedDate(moment: Date): string {
  return moment.toISOString().replace(/[-:]|\.\d{3}/g, '')
}

function canonicalRequest({ method, path, query, headers, payloadHash }: SignedRequest): string {
  const lines = Object.keys(headers)
    .toSorted()
    .map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`)
  return [method, path, canonicalQuery(query), lines.join(''), namesOf(headers), payloadHash].join(
    '\n',
  )
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
