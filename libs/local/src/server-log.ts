import { closeSync, openSync, readFileSync, statSync } from 'node:fs'

const MAX_BYTES = 8 * 1024 * 1024

/** An open log file of a server: its descriptor, and what was written to it since it was opened. */
export type ServerLog = { descriptor: number; close(): void; read(): string }

/** Opens a log file for a server that is about to start; one that has grown past 8 MiB is begun anew. */
export function openServerLog(path: string): ServerLog {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const start = size > MAX_BYTES ? 0 : size
  const descriptor = openSync(path, start === 0 ? 'w' : 'a', 0o600)
  return {
    descriptor,
    close: () => closeSync(descriptor),
    read: () => readFileSync(path).subarray(start).toString('utf8'),
  }
}
