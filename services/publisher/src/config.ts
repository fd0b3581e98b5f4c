import { serviceEnv } from '@herald/service/config'
import { z } from 'zod'

/** The environment of the publisher. */
export const PublisherEnv = z
  .object({
    ...serviceEnv,
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
    DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(100).default(10),
    /** Every post ends within this time of being due. */
    PUBLISH_WITHIN_MINUTES: z.coerce.number().int().min(5).max(1440).default(60),
    /** How many attempts are in work at a time on one platform, where its own pace is not less. */
    CONCURRENCY: z.coerce.number().int().min(1).max(1000).default(32),
    COMMIT_TIMEOUT_SECONDS: z.coerce.number().positive().max(300).default(30),
    /** Most time for the uploads and other steps before the call that makes a post live. */
    PREPARE_TIMEOUT_SECONDS: z.coerce.number().positive().max(1800).default(300),
    LEASE_SECONDS: z.coerce.number().positive().max(900).default(60),
    BACKOFF_SECONDS: z.coerce.number().positive().default(5),
    /** Where the media service serves files, as this service reaches it. */
    MEDIA_FILES_URL: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
    /** Where temporary files go; the system's own folder for them unless given. */
    WORK_DIR: z.string().min(1).optional(),
    /** When a call of unknown outcome is looked up: seconds after the call. */
    RECONCILE_SECONDS: z
      .string()
      .default('5,30,120,600')
      .transform((text) => text.split(',').map(Number))
      .pipe(z.array(z.number().positive()).min(1)),
  })
  .refine(
    ({ LEASE_SECONDS, COMMIT_TIMEOUT_SECONDS }) => LEASE_SECONDS >= COMMIT_TIMEOUT_SECONDS * 1.5,
    {
      path: ['LEASE_SECONDS'],
      message:
        'must be at least 1.5 times COMMIT_TIMEOUT_SECONDS, or a live call would be given up',
    },
  )
