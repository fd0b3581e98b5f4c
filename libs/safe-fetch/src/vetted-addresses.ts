import { once } from 'node:events'
import { isIP } from 'node:net'
import { hostOf } from './check-url.ts'
import { startDeadline } from './deadline.ts'
import { DownloadRefused, refusalOf } from './download-refused.ts'
import type { Resolve } from './resolve-name.ts'

type Vetting = {
  resolve: Resolve
  isAllowedAddress: (address: string) => boolean
  dnsMs: number
  signal: AbortSignal
}

/**
 * The addresses that a checked URL may be asked at, from one look-up: whoever connects to these needs no second one,
 * which could answer otherwise. One forbidden record refuses the name as a whole.
 */
export async function vettedAddresses(url: URL, vetting: Vetting): Promise<string[]> {
  const host = hostOf(url)
  if (isIP(host) !== 0) return [host]
  const addresses = await lookUp(host, vetting)
  if (addresses.length === 0) throw new DownloadRefused('dns_failed')
  if (!addresses.every(vetting.isAllowedAddress)) throw new DownloadRefused('forbidden_address')
  return addresses
}

async function lookUp(name: string, { resolve, dnsMs, signal }: Vetting): Promise<string[]> {
  using deadline = startDeadline(dnsMs, 'dns_deadline', signal)
  const stopWaiting = new AbortController()
  try {
    const isOver = once(deadline.signal, 'abort', { signal: stopWaiting.signal })
    const records = await Promise.race([
      resolve(name, deadline.signal),
      isOver.then(() => Promise.reject(deadline.signal.reason)),
    ])
    return records.map(({ address }) => address)
  } catch (error) {
    throw refusalOf(error, 'dns_failed', deadline.signal)
  } finally {
    stopWaiting.abort()
  }
}
