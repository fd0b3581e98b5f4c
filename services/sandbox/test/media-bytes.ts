/** A PNG as far as its header goes, of any length. */
export function png(width = 4, height = 3, length = 64): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.write('89504e470d0a1a0a0000000d49484452', 'hex')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

/** A JPEG as far as its header goes, of any length. */
export function jpeg(width = 4, height = 3, length = 64): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.write('ffd8ffc0001108', 'hex')
  bytes.writeUInt16BE(height, 7)
  bytes.writeUInt16BE(width, 9)
  return bytes
}

/** A GIF as far as its header goes, of any length. */
export function gif(width = 5, height = 6, length = 12): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.write('GIF89a', 'latin1')
  bytes.writeUInt16LE(width, 6)
  bytes.writeUInt16LE(height, 8)
  return bytes
}

/** An MP4 with the header of its track and no video; filled up to a length where one is given. */
export function mp4({ width = 640, height = 360, length = 0, hasSound = false } = {}): Buffer {
  const sound = hasSound ? [box('trak', track(0, 0))] : []
  const head = Buffer.concat([
    box('ftyp', Buffer.from('isom')),
    box('moov', Buffer.concat([...sound, box('trak', track(width, height))])),
  ])
  return length === 0
    ? head
    : Buffer.concat([head, box('mdat', Buffer.alloc(length - head.length - 8))])
}

/** An MP4 that ends before its video is described, as one that was not written to its end. */
export function brokenMp4(): Buffer {
  return box('ftyp', Buffer.from('isom'))
}

function track(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(84)
  bytes.writeUInt16BE(width, 76)
  bytes.writeUInt16BE(height, 80)
  return box('tkhd', bytes)
}

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, content])
}
