import { isIP } from 'node:net'
import { DownloadRefused } from './download-refused.ts'

const MAX_ADDRESS_LENGTH = 2_000
/** Names below these are never public: RFC 6762, 8375, 6761, the private-use TLD, and services of Kubernetes. */
const LOCAL_DOMAINS = ['local', 'home.arpa', 'localhost', 'internal', 'svc']

export type UrlRules = {
  /** Any port when undefined. */
  ports: readonly number[] | undefined
  /** `host` or `host:port`, as in `URL.host`. */
  deniedHosts: ReadonlySet<string>
  /** Names without a dot and names of local domains. */
  areLocalNamesAllowed: boolean
  isAllowedAddress: (address: string) => boolean
}

/**
 * The one place where an address is parsed: what is checked here is the object that the connection is made from. Also
 * an IP address is judged here. Throws DownloadRefused; asks nobody.
 */
export function checkUrl(address: string, rules: UrlRules, base?: URL): URL {
  if (address.length > MAX_ADDRESS_LENGTH) throw new DownloadRefused('address_too_long')
  const url = URL.parse(address, base?.href)
  if (!url) throw new DownloadRefused('not_an_address')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new DownloadRefused('scheme')
  if (url.username !== '' || url.password !== '') throw new DownloadRefused('user_info')
  if (rules.ports && !rules.ports.includes(portOf(url))) throw new DownloadRefused('port')
  // `name.` is `name`, only fully qualified: it must not pass as another.
  url.hostname = url.hostname.replace(/\.$/, '')
  url.hash = ''
  if (rules.deniedHosts.has(url.host)) throw new DownloadRefused('own_origin')
  checkHost(hostOf(url), rules)
  return url
}

/** The name or IP address of an address, the latter without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** The port of an address, whether written or not. */
export function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

function checkHost(host: string, rules: UrlRules): void {
  if (isIP(host) !== 0) {
    if (!rules.isAllowedAddress(host)) throw new DownloadRefused('forbidden_address')
    return
  }
  const isGood = isDomainName(host) && (rules.areLocalNamesAllowed || !isLocalName(host))
  if (!isGood) throw new DownloadRefused('name')
}

function isDomainName(host: string): boolean {
  return host.length <= 253 && host.split('.').every(({ length }) => length > 0 && length <= 63)
}

function isLocalName(host: string): boolean {
  return !host.includes('.') || LOCAL_DOMAINS.some((domain) => host.endsWith(`.${domain}`))
}
