import { serviceEnv } from '@herald/service/config'
import { z } from 'zod'

const KEY_BYTES = 32

/** The environment of the channels service. */
export const ChannelsEnv = z.object({
  ...serviceEnv,
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(100).default(10),
  /** How many tokens are renewed at a time; each holds one more connection while its platform is asked. */
  RENEWAL_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(10),
  /** The key that credentials are encrypted with: 32 bytes in base64. */
  CREDENTIALS_KEY: z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine(({ length }) => length === KEY_BYTES, 'must be 32 bytes in base64'),
  /** Whether platforms on this machine and in private networks may be connected: for the sandbox. */
  ALLOW_PRIVATE_PLATFORM_URLS: z.stringbool().default(false),
})
