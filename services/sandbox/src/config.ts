import { serviceEnv } from '@herald/service/config'
import { z } from 'zod'

/** The environment of the sandbox. */
export const SandboxEnv = z.object({
  LOG_LEVEL: serviceEnv.LOG_LEVEL,
  HOST: z.string().min(1).default('127.0.0.1'),
  /** 0 for any free port. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** Where accounts, tokens, posts and files are kept. Without it they end with the process. */
  SANDBOX_DATA_DIR: z.string().min(1).optional(),
  /** What the sandbox calls itself in addresses, where clients do not reach it at its own host and port. */
  SANDBOX_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** `off` for load tests: limits are counted and shown in headers, but nothing is refused. */
  SANDBOX_RATE_LIMITS: z.enum(['on', 'off']).default('on'),
})
export type SandboxConfig = z.output<typeof SandboxEnv>
