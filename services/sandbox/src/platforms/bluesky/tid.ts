const ALPHABET = '234567abcdefghijklmnopqrstuvwxyz'
const TID = /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/
const RECORD_KEY = /^(?!\.{1,2}$)[A-Za-z0-9._:~-]{1,512}$/

/** A timestamp id: 53 bits of microseconds and 10 bits of clock id, 13 characters that sort by time. */
export function toTid(micros: number, clockId: number): string {
  let value = (BigInt(micros) << 10n) | BigInt(clockId)
  let text = ''
  while (text.length < 13) {
    text = `${ALPHABET[Number(value & 31n)] ?? ''}${text}`
    value >>= 5n
  }
  return text
}

export function isTid(text: string): boolean {
  return TID.test(text)
}

/** Whether it may be the key of a record of any collection. */
export function isRecordKey(text: string): boolean {
  return RECORD_KEY.test(text)
}
