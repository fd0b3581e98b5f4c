import { serviceEnv } from '@herald/service/config'
import { z } from 'zod'

const { NATS_URL, LOG_LEVEL, RPC_SECRET, RPC_DIRECT } = serviceEnv

/** The environment of the gateway. */
export const GatewayEnv = z.object({
  ...{ NATS_URL, LOG_LEVEL, RPC_SECRET, RPC_DIRECT },
  HOST: z.string().default('127.0.0.1'),
  /** 0 is any free port. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  /** How long an idle connection is kept; behind a load balancer it must be longer than the balancer's own time. */
  KEEP_ALIVE_SECONDS: z.coerce.number().positive().max(600).default(5),
})
