import { serviceEnv } from '@herald/service/config'
import { z } from 'zod'
import { Secret, Secrets, secretsFrom } from '@herald/service/versioned-secrets'

/** The environment of the channels service. */
export const ChannelsEnv = z
  .object({
    ...serviceEnv,
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
    DATABASE_CONNECTIONS: z.coerce.number().int().min(2).max(100).default(10),
    /** How many tokens are renewed at a time; each holds one more connection while its platform is asked. */
    RENEWAL_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(10),
    /** The keys that credentials are encrypted with, `2:base64,1:base64`, each 32 bytes, the one for new ones first. */
    CREDENTIALS_KEYS: Secrets.optional(),
    /** The same as version 1, alone or beside the others. */
    CREDENTIALS_KEY: Secret.optional(),
    /** Whether platforms on this machine and in private networks may be connected: for the sandbox. */
    ALLOW_PRIVATE_PLATFORM_URLS: z.stringbool().default(false),
  })
  .transform(({ CREDENTIALS_KEYS: listed, CREDENTIALS_KEY: only, ...env }, context) => {
    const credentialsKeys = secretsFrom({ listed, only })
    if (credentialsKeys) return { ...env, credentialsKeys }
    const isMissing = listed === undefined && only === undefined
    const message = isMissing ? 'is needed' : 'gives a version twice; CREDENTIALS_KEY is version 1'
    context.addIssue({ code: 'custom', path: ['CREDENTIALS_KEYS'], message })
    return z.NEVER
  })
