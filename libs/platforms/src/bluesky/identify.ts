import { z } from 'zod'
import { webAddress } from '../addresses.ts'
import { readCredentials, Secret } from '../credentials.ts'
import type { HttpDeps, Identity, IdentifyInput } from '../platform.ts'
import { createSession, expiryOf, readProfile, secretsOf } from './session.ts'

const Credentials = z.strictObject({
  identifier: z.string().trim().min(1).max(300),
  appPassword: Secret,
})

/** Logs in with a handle and an app password, and answers whose account it is. */
export async function identify(
  { baseUrl, credentials }: IdentifyInput,
  deps?: HttpDeps,
): Promise<Identity> {
  const { identifier, appPassword } = readCredentials(Credentials, credentials)
  const login = { identifier: identifier.replace(/^@/, ''), appPassword }
  const session = await createSession(baseUrl, login, 'refused', deps)
  const profile = await readProfile(baseUrl, session, deps)
  return {
    account: session.did,
    username: session.handle,
    name: profile.displayName?.trim() || session.handle,
    avatarUrl: webAddress(profile.avatar),
    rules: {},
    secrets: secretsOf(session, login),
    expiresAt: expiryOf(session.accessJwt),
  }
}
