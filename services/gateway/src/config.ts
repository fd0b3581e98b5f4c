import { serviceEnv } from '@herald/service/config'
import { isIP } from 'node:net'
import { z } from 'zod'

const Whole = z.coerce.number().int().min(0)

/** Addresses and ranges, `10.0.0.0/8,fd00::/8`. */
const Addresses = z
  .string()
  .default('')
  .transform((text) => text.split(',').filter((part) => part !== ''))
  .pipe(z.array(z.string().refine(isAddressOrRange, 'is not an address or a range')))

/** The settings of the gateway. */
export const GatewayEnv = z.object({
  NATS_URL: serviceEnv.NATS_URL,
  LOG_LEVEL: serviceEnv.LOG_LEVEL,
  RPC_SECRET: serviceEnv.RPC_SECRET,
  RPC_DIRECT: serviceEnv.RPC_DIRECT,
  DRAIN_SECONDS: serviceEnv.DRAIN_SECONDS,
  /** Where the public API listens; port 0 is any free one. In a container the host is `0.0.0.0`. */
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: Whole.max(65_535).default(8080),
  /** Proxies whose `X-Forwarded-For` is believed; without any, an address is that of the connection. */
  TRUSTED_PROXIES: Addresses,
  /** How long a connection without a request is kept. */
  KEEP_ALIVE_TIMEOUT_MS: Whole.default(5_000),
  /** After how many requests a connection is closed, so that load spreads to new instances; 0 is never. */
  MAX_REQUESTS_PER_SOCKET: Whole.default(1_000),
  /** How many connections are held at a time; one more is closed at once. */
  MAX_CONNECTIONS: Whole.min(1).default(10_000),
  /** How late the process may be before it refuses requests with 503; 0 is never. */
  MAX_LAG_MS: Whole.default(200),
})

function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const most = { 4: 32, 6: 128 }[isIP(address)]
  if (most === undefined || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most)
}
