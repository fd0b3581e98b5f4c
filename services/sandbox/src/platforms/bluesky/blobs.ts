import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { imageSize } from '../../image-size.ts'
import { sniffMimeType } from '../../sniff.ts'
import { videoSize } from '../../video-size.ts'
import { authenticate } from './authenticate.ts'
import { cidOfBytes } from './cid.ts'
import { accepts, type Embedded, embeddedIn } from './embeds.ts'
import { refuse, refuseInput } from './refusals.ts'
import type { Server } from './server.ts'
import { type Blob, blobKey } from './state.ts'

export const MAX_BLOB_BYTES = 50 * 1024 * 1024

/** `com.atproto.repo.uploadBlob`. The type is what the bytes say, and else what the client says. */
export function uploadBlob(server: Server, call: Call): Answer {
  const { account } = authenticate(server, call)
  const said = call.headers['content-type']
  if (said === undefined) refuseInput('Request encoding (Content-Type) required but not provided')
  const { did } = account
  const cid = cidOfBytes(call.body)
  const known = server.state.blobs.get(blobKey(did, cid))
  const blob = known ?? { did, cid, ...describe(server, call.body, said) }
  if (!known) server.record({ type: 'blob-uploaded', blob })
  return jsonAnswer(200, {
    blob: { $type: 'blob', ref: { $link: cid }, mimeType: blob.mimeType, size: blob.sizeBytes },
  })
}

/** The files of a post must be there, be the account's, and be what the post and its lexicon say. */
export function checkBlobs(server: Server, did: string, post: Record<string, unknown>): void {
  for (const embedded of embeddedIn(post)) checkBlob(server, did, embedded)
}

/** The media of a live post. */
export function mediaOf(server: Server, did: string, post: Record<string, unknown>) {
  return embeddedIn(post).flatMap(({ blob, alt, isMedia }) => {
    const found = server.state.blobs.get(blobKey(did, blob.ref.$link))
    return found && isMedia ? [{ ...found, alt }] : []
  })
}

export function blobUrl(server: Server, { did, cid }: Pick<Blob, 'did' | 'cid'>): string {
  return `${server.baseUrl()}/blobs/${did}/${cid}`
}

/** `GET /blobs/:did/:cid`: the bytes of what was uploaded, for the pages. */
export function showBlob(server: Server, call: Call): Answer {
  const { did = '', cid = '' } = call.params
  const blob = server.state.blobs.get(blobKey(did, cid))
  const bytes = blob && server.files.get(blob.sha256)
  if (!bytes) refuse(404, 'BlobNotFound', 'Blob not found')
  // What is neither picture nor video could be a page with a script.
  const isShown = /^(image\/(?!svg)|video\/)/.test(blob.mimeType)
  const type = isShown ? blob.mimeType : 'application/octet-stream'
  const headers = { 'content-type': type, 'x-content-type-options': 'nosniff' }
  return { status: 200, headers, body: bytes }
}

function describe(server: Server, bytes: Buffer, said: string): Omit<Blob, 'did' | 'cid'> {
  const mimeType = sniffMimeType(bytes) ?? said.split(';')[0]?.trim() ?? said
  const size = imageSize(bytes, mimeType) ?? videoSize(bytes, mimeType)
  const { width = null, height = null } = size ?? {}
  return { mimeType, sizeBytes: bytes.length, sha256: server.files.put(bytes), width, height }
}

function checkBlob(server: Server, did: string, { blob, accept, maxBytes }: Embedded): void {
  const cid = blob.ref.$link
  const found = server.state.blobs.get(blobKey(did, cid))
  if (!found) refuse(400, 'BlobNotFound', `Could not find blob: ${cid}`)
  if (found.mimeType !== blob.mimeType)
    refuse(
      400,
      'InvalidMimeType',
      `Referenced Mimetype does not match stored blob. Expected: ${found.mimeType}, Got: ${blob.mimeType}`,
    )
  if (!accepts(accept, found.mimeType))
    refuse(
      400,
      'InvalidMimeType',
      `Wrong type of file. It is ${found.mimeType} but it must match any of: "${accept}".`,
    )
  if (found.sizeBytes > maxBytes)
    refuse(
      400,
      'BlobTooLarge',
      `This file is too large. It is ${inWords(found.sizeBytes)} but the maximum size is ${inWords(maxBytes)}.`,
    )
  if (found.sizeBytes !== blob.size)
    refuse(
      400,
      'InvalidSize',
      `Referenced Size does not match stored blob. Expected: ${found.sizeBytes}, Got: ${blob.size}`,
    )
}

function inWords(bytes: number): string {
  const kilobytes = bytes / 1024
  const [amount, unit] = kilobytes < 1024 ? [kilobytes, 'KB'] : [kilobytes / 1024, 'MB']
  return `${Number(amount.toFixed(2))}${unit}`
}
