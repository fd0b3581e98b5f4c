/** A JPEG as far as its header goes, of any length. */
export function jpeg(width = 40, height = 30, length = 64): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.write('ffd8ffc0001108', 'hex')
  bytes.writeUInt16BE(height, 7)
  bytes.writeUInt16BE(width, 9)
  return bytes
}
