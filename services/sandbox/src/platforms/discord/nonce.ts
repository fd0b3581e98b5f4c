import type { Call } from '../../call.ts'

/** The nonce of a message, by which a repeated call of the bot is known, wherever in the body it stands. */
export function nonceOf({ body }: Call): string | undefined {
  const text = body.toString('latin1')
  return /"nonce"\s*:\s*"?([\w.:-]{1,25})"?\s*[,}]/.exec(text)?.[1]
}
