import { z } from 'zod'

const TIMEOUT_MS = 600_000

/** Operations of every service with read models; the operator's, over all organizations. */
export const PROJECTION_OPERATIONS = {
  /** Folds every stream and compares it with the read models; `mismatches` are ids of streams. */
  checkProjections: {
    input: z.object({}),
    output: z.object({ streams: z.int(), mismatches: z.array(z.string()) }),
    safe: true,
    timeoutMs: TIMEOUT_MS,
  },
  /** Builds the read models anew from the events while everything goes on. */
  rebuildProjections: {
    input: z.object({}),
    output: z.object({ streams: z.int() }),
    timeoutMs: TIMEOUT_MS,
  },
} as const
