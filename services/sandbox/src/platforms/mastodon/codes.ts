import { randomText } from '../../random-text.ts'
import type { World } from '../../stand-in.ts'

const CODE_LASTS_MS = 10 * 60_000

/** What a person approved. */
export type Grant = {
  clientId: string
  accountId: string
  redirectUri: string
  scopes: string[]
  codeChallenge: string | undefined
}

/** Authorization codes: single use, good for ten minutes, not kept over a restart. */
export function openCodes(world: World) {
  const grants = new Map<string, Grant & { expiresAt: number }>()
  world.ledger.onClear(() => grants.clear())
  const find = (code: string) => {
    const grant = grants.get(code)
    return grant && grant.expiresAt > world.now() ? grant : undefined
  }
  return {
    issue: (grant: Grant): string => {
      const code = randomText()
      grants.set(code, { ...grant, expiresAt: world.now() + CODE_LASTS_MS })
      return code
    },
    find,
    take: (code: string): Grant | undefined => {
      const grant = find(code)
      grants.delete(code)
      return grant
    },
  }
}
