import { createHash } from 'node:crypto'
import { randomText } from '../random-text.ts'
import type { World } from '../stand-in.ts'
import type { Token } from './state.ts'

/** What a person approved on the page. */
type Approval = {
  accountId: string
  redirectUri: string
  scopes: string[]
  challenge: string | undefined
}

/** The authorization codes of a platform: good once, for some seconds. They end with the process. */
export function openCodes(
  world: World,
  codeSeconds: number,
  issue: (accountId: string, scopes: string[]) => Token,
) {
  const codes = new Map<string, Approval & { expiresAt: number }>()
  world.ledger.onClear(() => codes.clear())
  return {
    /** A code for what a person approved. */
    approve: (approval: Approval): string => {
      const code = randomText()
      codes.set(code, { ...approval, expiresAt: world.now() + codeSeconds * 1000 })
      return code
    },
    /** Whose code it is, without using it up. */
    ownerOf: (code: string): string | undefined => codes.get(code)?.accountId,
    /** A token for a code, which is used up; undefined when it is not good, or not for this address or verifier. */
    exchange: (given: {
      code: string
      redirectUri: string
      verifier?: string | undefined
    }): Token | undefined => {
      const approval = codes.get(given.code)
      codes.delete(given.code)
      const isGood =
        approval !== undefined &&
        approval.expiresAt > world.now() &&
        approval.redirectUri === given.redirectUri &&
        isAnswered(approval.challenge, given.verifier)
      return isGood ? issue(approval.accountId, approval.scopes) : undefined
    },
  }
}

/** Whether a verifier is the one of an S256 challenge (RFC 7636). */
function isAnswered(challenge: string | undefined, verifier = ''): boolean {
  return (
    challenge === undefined ||
    challenge === createHash('sha256').update(verifier).digest('base64url')
  )
}
