import { serviceEnv } from '@herald/service/config'
import { z } from 'zod'

/** The environment of the posts service. */
export const PostsEnv = z.object({
  ...serviceEnv,
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(100).default(20),
  /** Every post ends within this time of being due. */
  PUBLISH_WITHIN_MINUTES: z.coerce.number().int().min(5).max(1440).default(60),
})
