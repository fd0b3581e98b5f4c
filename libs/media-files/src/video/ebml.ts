import { cutOff, tooMuch } from '../documents/limited-file.ts'

/** The elements of EBML (RFC 8794), of which WEBM is made: an id, a size, a payload that may be elements again. */
export type Element = { id: number; payload: Buffer }

/** The start of an element. The size is undefined when it is unknown, as live recorders write it. */
export type ElementHeader = { id: number; headerSize: number; size: number | undefined }

/** The most that the header of an element takes. */
export const MAX_HEADER_BYTES = 12

const MAX_SIBLINGS = 10_000
const MAX_ID_BYTES = 4

/** Reads the header of the element that the bytes begin with. */
export function readElementHeader(bytes: Buffer): ElementHeader {
  const idBytes = variableLength(bytes)
  const sizeBytes = variableLength(bytes.subarray(idBytes))
  const headerSize = idBytes + sizeBytes
  if (idBytes > MAX_ID_BYTES || headerSize > bytes.length) throw cutOff()
  // An id is compared with the bit that ends its leading zeros, a size is a number without it.
  const size = Buffer.from(bytes.subarray(idBytes, headerSize))
  const bits = 0xff >> sizeBytes
  const isUnknown = size.every((byte, index) =>
    index === 0 ? (byte & bits) === bits : byte === 0xff,
  )
  size.writeUInt8(size.readUInt8(0) & bits, 0)
  return {
    id: readUint(bytes.subarray(0, idBytes)),
    headerSize,
    size: isUnknown ? undefined : readUint(size),
  }
}

/** The elements that a payload consists of, all with known sizes and within it. */
export function* elements(data: Buffer): Generator<Element> {
  let position = 0
  for (let count = 0; position < data.length; count++) {
    if (count === MAX_SIBLINGS) throw tooMuch()
    const { id, headerSize, size } = readElementHeader(data.subarray(position))
    const start = position + headerSize
    if (size === undefined || size > data.length - start) throw cutOff()
    yield { id, payload: data.subarray(start, start + size) }
    position = start + size
  }
}

/** The payload of the first element with an id, or undefined. */
export function findElement(data: Buffer, id: number): Buffer | undefined {
  for (const element of elements(data)) if (element.id === id) return element.payload
  return undefined
}

/** An unsigned number of at most eight bytes; none at all are 0. Beyond 2^53 it is not exact. */
export function readUint(payload: Buffer): number {
  if (payload.length > 8) throw cutOff()
  return payload.reduce((value, byte) => value * 256 + byte, 0)
}

/** A number with a fraction, of four or eight bytes; none at all are 0. */
export function readFloat(payload: Buffer): number {
  if (payload.length === 4) return payload.readFloatBE(0)
  return payload.length === 0 ? 0 : payload.readDoubleBE(0)
}

/** Numbers of variable length say with their leading zero bits how many bytes they have. */
export function variableLength(bytes: Buffer): number {
  const length = Math.clz32(bytes.readUInt8(0)) - 23
  if (length > 8) throw cutOff()
  return length
}
