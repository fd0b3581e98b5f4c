import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect } from 'vitest'
import { download, type DownloadOptions, DownloadRefused } from '../src/download.ts'

/** What the tests take for the public internet: this one address of the machine, and no other. */
export const PUBLIC = '127.0.0.1'
export const isTestPublic = (address: string) => address === PUBLIC

/** Downloads the whole file and answers its text, or the reason of the refusal, which must be fit for strangers. */
export async function outcome(
  address: string,
  options: Partial<DownloadOptions> = {},
): Promise<{ file: string } | { refused: string }> {
  try {
    const { body } = await download(address, { maxBytes: 1_000_000, ...options })
    return { file: (await buffer(body)).toString('latin1') }
  } catch (error) {
    expect(error).toBeInstanceOf(DownloadRefused)
    const { message, reason } = error as DownloadRefused
    expect(message).toBe('The file could not be downloaded from this address.')
    return { refused: reason }
  }
}

/** Counts every connection that this process begins, wherever to, and keeps its socket. */
export function countConnections(onConnection: () => void = () => undefined) {
  const counter = {
    connections: 0,
    sockets: [] as Socket[],
    [Symbol.dispose]: () => unsubscribe('net.client.socket', count),
  }
  const count = (message: unknown) => {
    counter.connections++
    counter.sockets.push((message as { socket: Socket }).socket)
    onConnection()
  }
  subscribe('net.client.socket', count)
  return counter
}
