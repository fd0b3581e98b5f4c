const ALPHABET = '234567abcdefghijklmnopqrstuvwxyz'
const LENGTH = 13

/** Makes record keys that grow with time: microseconds since 1970 in 53 bits, and 10 bits of a clock's id. */
export function createTids(now: () => number) {
  let last = 0n
  return (): string => {
    const byTime = BigInt(Math.floor(now())) * 1000n
    last = byTime > last ? byTime : last + 1n
    let value = last << 10n
    let text = ''
    for (let index = 0; index < LENGTH; index += 1) {
      text = ALPHABET[Number(value & 31n)] + text
      value >>= 5n
    }
    return text
  }
}
