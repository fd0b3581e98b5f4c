import type { Request } from 'express'
import type { Answer } from '../../platform.ts'
import { factsOf } from '../../file-facts.ts'
import { cidOf } from './cid.ts'
import { failure } from './manners.ts'
import type { Bluesky } from './tables.ts'

/** com.atproto.repo.uploadBlob: the bytes as they are. The same bytes are the same blob. */
export function uploadBlob({ blobs }: Bluesky, did: string, request: Request): Answer {
  const bytes: unknown = request.body
  if (!Buffer.isBuffer(bytes) || bytes.length === 0)
    return failure(400, 'InvalidRequest', 'Request encoding is missing or the body is empty')
  const declared = request.get('content-type')?.split(';')[0] ?? 'application/octet-stream'
  const { mimeType: sniffed, ...facts } = factsOf(bytes)
  // The server believes the content and not what was declared, where it knows the kind of file.
  const mimeType = sniffed ?? declared
  const cid = cidOf(bytes, 'blob')
  blobs.put(`${did}/${cid}`, { cid, did, mimeType, ...facts })
  const size = facts.sizeBytes
  return { status: 200, body: { blob: { $type: 'blob', ref: { $link: cid }, mimeType, size } } }
}
