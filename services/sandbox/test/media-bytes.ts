/** A PNG as far as its header goes, of any length. */
export function png(width = 4, height = 3, length = 64): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.write('89504e470d0a1a0a0000000d49484452', 'hex')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

export function gif(): Buffer {
  return Buffer.from('474946383961050006000000', 'hex')
}

export function mp4(length = 64): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.write('\0\0\0\u0018ftypisom', 'latin1')
  return bytes
}
