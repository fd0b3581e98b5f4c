const MEBIBYTE = 1024 * 1024

/** The limits of a guild without boosts. */
export const LIMITS = {
  characters: 2000,
  attachments: 10,
  fileBytes: 10 * MEBIBYTE,
  requestBytes: 25 * MEBIBYTE,
  descriptionCharacters: 1024,
  nonceCharacters: 25,
  /** How long a nonce is remembered: the documentation says a few minutes. */
  nonceSeconds: 300,
  /** Of one reading of a channel's messages. */
  messages: 100,
}
