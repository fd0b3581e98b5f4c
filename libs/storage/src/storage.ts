import type { Readable } from 'node:stream'

export type Storage = {
  presignPut(input: {
    key: string
    contentType: string
    contentLength: number
    expiresSeconds: number
  }): Promise<{ url: string; headers: Record<string, string>; expiresAt: string }>
  head(key: string): Promise<{ sizeBytes: number; etag: string } | undefined>
  get(key: string, range?: { start: number; end: number }, signal?: AbortSignal): Promise<Readable>
  put(
    key: string,
    body: Readable | Uint8Array,
    input: { contentType: string; contentLength: number; signal?: AbortSignal },
  ): Promise<void>
  copy(from: string, to: string): Promise<void>
  delete(key: string): Promise<void>
  list(prefix: string): AsyncIterable<{ key: string; sizeBytes: number; modifiedAt: string }>
  isReady(): Promise<boolean>
}
