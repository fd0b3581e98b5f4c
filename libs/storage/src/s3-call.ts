import * as http from 'node:http'
import * as https from 'node:https'
import { Client } from 'minio'
import { StorageMissing, StorageUnavailable } from './errors.ts'
import type { Deadlines } from './storage.ts'

/** Where an S3 server is and how it is spoken to. */
export type S3Settings = {
  /** What this program reaches, such as `http://s3:7070`. */
  endpoint: string
  /** What clients reach, in presigned addresses; the same unless given. */
  publicEndpoint?: string
  region: string
  bucket: string
  accessKey: string
  secretKey: string
  /** Whether presigned addresses refuse to replace an object. Only for servers that do not know `If-None-Match`. */
  ifNoneMatch?: boolean
  deadlines?: Partial<Deadlines> | undefined
}

// The answers that the client library takes for a passing failure; it leaves their bodies unread.
const UNREAD_STATUSES = new Set([408, 429, 499, 500, 502, 503, 504, 520])

const MISSING_CODES = new Set(['NoSuchKey', 'NotFound'])

/**
 * Makes one call with the client library and ends it after `ms` milliseconds, also when the server says nothing at all.
 * What was answered by then is not cut by that deadline, but by `signal`. Throws `StorageMissing`, `RangeError`,
 * `StorageUnavailable`, or the signal's reason.
 */
export async function s3Call<T>(
  settings: S3Settings,
  { key, ms, signal }: { key?: string; ms: number; signal?: AbortSignal | undefined },
  call: (client: Client) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(new Error(`No answer within ${ms} ms.`)), ms)
  const end = signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal])
  try {
    return await Promise.race([call(client(settings, end)), rejection(end)])
  } catch (error) {
    signal?.throwIfAborted()
    throw meaningOf(deadline.signal.aborted ? deadline.signal.reason : error, key)
  } finally {
    clearTimeout(timer)
  }
}

/** The functions that make requests, by protocol. Connections are not kept: a kept one breaks when it is used late. */
export function transportOf(protocol: string): {
  request: typeof http.request
  agent: http.Agent
} {
  return protocol === 'https:'
    ? { request: https.request, agent: httpsAgent }
    : { request: http.request, agent: httpAgent }
}

const httpAgent = new http.Agent({ keepAlive: false })
const httpsAgent = new https.Agent({ keepAlive: false })

/** A client for one call, all of whose requests end with `signal`. */
function client(settings: S3Settings, signal: AbortSignal): Client {
  const { protocol, hostname, port } = new URL(settings.endpoint)
  const { request, agent } = transportOf(protocol)
  return new Client({
    endPoint: hostname.replace(/^\[|\]$/g, ''),
    ...(port === '' ? {} : { port: Number(port) }),
    useSSL: protocol === 'https:',
    pathStyle: true,
    // Without it the client asks the server for the region first.
    region: settings.region,
    accessKey: settings.accessKey,
    secretKey: settings.secretKey,
    // Whoever calls decides what is tried again.
    retryOptions: { disableRetry: true },
    transportAgent: agent,
    transport: { request: withSignal(request, signal) },
  })
}

function withSignal(request: typeof http.request, signal: AbortSignal): typeof http.request {
  return ((options: http.RequestOptions, onResponse: (response: http.IncomingMessage) => void) =>
    request({ ...options, signal }, (response) => {
      onResponse(response)
      if (UNREAD_STATUSES.has(response.statusCode ?? 0)) response.on('error', () => {}).destroy()
    })) as typeof http.request
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function meaningOf(error: unknown, key: string | undefined): Error {
  const code = codeOf(error)
  if (key !== undefined && MISSING_CODES.has(code)) return new StorageMissing(key, { cause: error })
  if (code === 'InvalidRange') {
    return new RangeError(`${key} ends before this range.`, { cause: error })
  }
  const said = error instanceof Error ? error.message : ''
  return new StorageUnavailable(
    `The object store failed: ${[code, said].filter((text) => text !== '').join(', ')}`,
    { cause: error },
  )
}

/** The code of an S3 error (`NoSuchKey`) or of a failed connection (`ECONNREFUSED`); empty when there is none. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}
