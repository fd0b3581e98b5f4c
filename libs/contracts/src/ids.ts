import { z } from 'zod'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** The kinds of thing that have an id, with the prefix each id carries. */
export const ID_PREFIX = {
  organization: 'org',
  key: 'key',
  channel: 'chan',
  post: 'post',
  media: 'med',
  event: 'evt',
} as const
export type IdKind = keyof typeof ID_PREFIX

/**
 * A new TypeID such as `post_01kb5...`: the kind's prefix and a UUIDv7 in Crockford base 32,
 * so that ids of one kind sort by the time they were made.
 */
export function newId(kind: IdKind, now: number = Date.now()): string {
  return `${ID_PREFIX[kind]}_${encode(uuidV7(now))}`
}

/** A schema of the ids of one kind. */
export function idOf(kind: IdKind) {
  return z
    .string()
    .regex(new RegExp(`^${ID_PREFIX[kind]}_[0-7][${ALPHABET}]{25}$`), `is not a ${kind} id`)
}

export const OrganizationId = idOf('organization').meta({ description: 'Id of an organization.' })
export const KeyId = idOf('key').meta({ description: 'Id of an API key.' })
export const ChannelId = idOf('channel').meta({ description: 'Id of a connected channel.' })
export const PostId = idOf('post').meta({ description: 'Id of a post.' })
export const MediaId = idOf('media').meta({ description: 'Id of a media item.' })
export const EventId = idOf('event').meta({ description: 'Id of an event.' })

function uuidV7(now: number): Uint8Array {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  for (let index = 0; index < 6; index++)
    bytes[index] = Math.floor(now / 2 ** (8 * (5 - index))) % 256
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes
}

/** 128 bits as 26 base-32 characters, most significant first; the first holds only three bits. */
function encode(bytes: Uint8Array): string {
  let text = ''
  let buffer = 0
  let bits = 2 // 130 bits are written: two zero bits stand in front
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(buffer >> bits) & 31]
    }
    buffer &= (1 << bits) - 1
  }
  return text
}
