import { serviceEnv } from '@herald/service/config'
import { z } from 'zod'

/** The environment of the sandbox. */
export const SandboxEnv = z.object({
  LOG_LEVEL: serviceEnv.LOG_LEVEL,
  /** Port 0 is any free one. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  HOST: z.string().min(1).default('127.0.0.1'),
  /** Where the ledger is kept; without it everything is forgotten at the end of the process. */
  SANDBOX_DATA_DIR: z.string().min(1).optional(),
  /** How others reach this server, where that is not its host and port. */
  SANDBOX_URL: z.url({ protocol: /^https?$/ }).optional(),
})
