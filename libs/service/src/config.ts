import { z } from 'zod'

/** Addresses of the direct road: `posts=http://127.0.0.1:4001,channels=http://…`. */
const DirectAddresses = z
  .string()
  .default('')
  .transform((text) => text.split(',').filter((part) => part !== ''))
  .pipe(z.array(z.string().regex(/^[a-z]+=https?:\/\/.+$/, 'is a list of service=http://address')))
  .transform((parts) => new Map(parts.map(splitOnce)))

/** The settings that every service has. */
export const serviceEnv = {
  /** NATS servers, comma-separated. */
  NATS_URL: z.string().min(1),
  /** `off` where streams and consumers are made by `deploy/provision` and the user of NATS may not make any. */
  HERALD_PROVISION: z
    .enum(['on', 'off'])
    .default('on')
    .transform((value) => value === 'on'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Where the listener for health checks and direct calls binds; port 0 is any free one. */
  INTERNAL_HOST: z.string().default('127.0.0.1'),
  INTERNAL_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /**
   * How long a process that was told to stop goes on serving, not ready any more, so that those who lead requests to it
   * see that and nobody meets a closed door; 0 is not at all.
   */
  DRAIN_SECONDS: z.coerce.number().min(0).max(10).default(0),
  /** What a direct call must carry; the same in all services. */
  RPC_SECRET: z.string().min(32),
  /** Where services are reached when NATS is not. */
  RPC_DIRECT: DirectAddresses,
}

/** What `serviceEnv` gives. */
export type ServiceConfig = z.output<z.ZodObject<typeof serviceEnv>>

/**
 * Reads the environment. Throws one error that names every variable that is missing or wrong, and never shows a
 * value, which may be a secret.
 */
export function loadConfig<Schema extends z.ZodType>(
  schema: Schema,
  env: Record<string, string | undefined>,
): z.output<Schema> {
  const parsed = schema.safeParse(env)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map(
    ({ path, message }) => `  ${path.join('.') || 'environment'}: ${message}`,
  )
  throw new Error(`The configuration is not valid:\n${lines.join('\n')}`)
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}
