import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Answers the hosts of Azure's virtual machines, although it lies in a public range. */
const AZURE_PLATFORM = '168.63.129.16'

/**
 * Whether an IP address, in the notation of `net.isIP`, belongs to the public internet. Everything else is not, and so
 * is whatever is no address at all. An IPv4-mapped IPv6 address is judged by the IPv4 address in it; other addresses
 * that carry an IPv4 address (NAT64, 6to4, Teredo, ISATAP) are not public, since they may lead to any.
 */
export function isPublicAddress(address: string): boolean {
  const ip = parse(address)
  if (ip?.range() !== 'unicast') return false
  return ip instanceof ipaddr.IPv6 ? isGlobal(ip) : ip.toString() !== AZURE_PLATFORM
}

/** The same, and loopback and private networks too. Link-local addresses, where clouds keep secrets, stay out. */
export function isPublicOrLocalAddress(address: string): boolean {
  const range = parse(address)?.range()
  if (range === 'loopback' || range === 'private' || range === 'uniqueLocal') return true
  return isPublicAddress(address)
}

/** A check like `isPublicAddress` that also excludes own ranges, as `203.0.113.0/24`. Throws for a range that is none. */
export function publicAddressOutside(ranges: readonly string[]): (address: string) => boolean {
  const own = ranges.map((range) => ipaddr.parseCIDR(range))
  return (address) => {
    const ip = parse(address)
    if (!ip || !isPublicAddress(address)) return false
    return !own.some(([base, bits]) => base.kind() === ip.kind() && ip.match(base, bits))
  }
}

/**
 * Only what is an address for `net.isIP`: ipaddr.js also takes `127.1` and `0x7f000001`. A zone (`%eth0`) is only of
 * use on a local network. An IPv6 address is first written without dots, since ipaddr.js takes `::127.0.0.1` for the
 * mapped `::ffff:127.0.0.1`.
 */
function parse(address: string) {
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return undefined
  return ipaddr.process(
    family === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address,
  )
}

/**
 * Only 2000::/3 is given out to the public. What lies outside is special, also where the range has no name, as
 * `::127.0.0.1` and `100:0:0:1::1`.
 */
function isGlobal({ parts }: ipaddr.IPv6): boolean {
  const [first = 0, , , , fifth = 0, sixth = 0] = parts
  const isIsatap = sixth === 0x5efe && (fifth & ~0x0300) === 0
  return first >> 13 === 1 && !isIsatap
}
