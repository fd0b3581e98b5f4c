import { serviceEnv } from '@herald/service/config'
import { z } from 'zod'
import { Secret, Secrets, secretsFrom } from '@herald/service/versioned-secrets'

/** The environment of the accounts service. */
export const AccountsEnv = z
  .object({
    ...serviceEnv,
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
    DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(100).default(10),
    /** The secrets that hashes of API keys are made with, `2:base64,1:base64`, each 32 bytes, the one for new hashes first. */
    API_KEY_PEPPERS: Secrets.optional(),
    /** The same as version 1, alone or beside the others. */
    API_KEY_PEPPER: Secret.optional(),
    /** A file that replaces the plans. */
    HERALD_PLANS_FILE: z.string().optional(),
  })
  .transform(({ API_KEY_PEPPERS, API_KEY_PEPPER, ...env }, context) => {
    const peppers = secretsFrom({ listed: API_KEY_PEPPERS, only: API_KEY_PEPPER })
    if (peppers) return { ...env, peppers }
    const isMissing = API_KEY_PEPPERS === undefined && API_KEY_PEPPER === undefined
    const message = isMissing ? 'is needed' : 'gives a version twice; API_KEY_PEPPER is version 1'
    context.addIssue({ code: 'custom', path: ['API_KEY_PEPPERS'], message })
    return z.NEVER
  })
