import { serviceEnv } from '@herald/service/config'
import { z } from 'zod'

/** The environment of the quota service. */
export const QuotaEnv = z.object({
  ...serviceEnv,
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(100).default(10),
  /** How long the posts service has to create a post that it reserved; creating one takes 10 seconds at most. */
  RESERVATION_SECONDS: z.coerce.number().positive().max(240).default(60),
  /** How often reservations that ran out are looked at. */
  SWEEP_SECONDS: z.coerce.number().positive().max(60).default(30),
})
