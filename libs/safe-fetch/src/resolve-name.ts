import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'

/** All addresses of a name, or an error. A resolver that cannot stop may ignore the signal. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<LookupAddress[]>

/**
 * Asks the name servers of the system, or the given ones (`address:port`), for the A and AAAA records of a name.
 *
 * The system's own look-up is not used: it cannot be stopped and holds one of the few threads of the process, so that
 * a handful of names with dead name servers would stop all file access; and it tries the system's search domains,
 * which would turn `files.default` into a service of the cluster.
 */
export function nameServers(servers?: readonly string[]): Resolve {
  return async (hostname, signal) => {
    const resolver = new Resolver({ timeout: 1_500, tries: 2 })
    if (servers) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const [ipv4, ipv6] = await Promise.allSettled([
        resolver.resolve4(hostname),
        resolver.resolve6(hostname),
      ])
      // Name servers exist that fail on AAAA. Only records that came can be connected to, and all of these are checked.
      if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason
      return [...found(ipv4, 4), ...found(ipv6, 6)]
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

/** The system's look-up, which also knows `localhost` and the hosts file. Only for local use. */
export const systemLookup: Resolve = (hostname) => lookup(hostname, { all: true })

function found(records: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  if (records.status === 'rejected') return []
  return records.value.map((address) => ({ address, family }))
}
