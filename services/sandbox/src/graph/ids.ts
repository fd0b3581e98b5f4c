import { randomInt } from 'node:crypto'

/** An id as Meta's are: 17 digits. */
export function newGraphId(): string {
  const digits = () => String(randomInt(1e7, 1e8 - 1))
  return `1${digits()}${digits()}`
}
