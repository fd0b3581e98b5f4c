import { serviceEnv } from '@herald/service/config'
import { z } from 'zod'

const PEPPER_BYTES = 32

/** The environment of the accounts service. */
export const AccountsEnv = z.object({
  ...serviceEnv,
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(100).default(10),
  /** The secret that hashes of API keys are made with: 32 bytes in base64. */
  API_KEY_PEPPER: z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine(({ length }) => length === PEPPER_BYTES, 'must be 32 bytes in base64'),
  /** A file that replaces the plans. */
  HERALD_PLANS_FILE: z.string().optional(),
})
