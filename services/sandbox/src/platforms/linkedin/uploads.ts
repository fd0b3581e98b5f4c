import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { randomText } from '../../random-text.ts'
import { authenticateVersioned, deny, requireScope } from './authenticate.ts'
import { readJsonBody } from './json-body.ts'
import { refuse, refuseField } from './refusals.ts'
import { mayActAs, ORGANIZATION, type Site } from './site.ts'
import type { Asset, Kind } from './state.ts'
import { wholeOf } from './whole.ts'

export const PART_BYTES = 4 * 1024 * 1024
const EXPIRES_MS = 24 * 3_600_000
const MAX_VIDEO_BYTES = 500 * 1024 * 1024

const Begin = z.object({
  initializeUploadRequest: z.object({
    owner: z.string(),
    fileSizeBytes: z.number().int().positive().optional(),
  }),
})
const End = z.object({
  finalizeUploadRequest: z.object({
    video: z.string(),
    uploadToken: z.string(),
    uploadedPartIds: z.array(z.string()),
  }),
})

/** `POST /rest/images?action=initializeUpload`, and the same of documents and videos. */
export function beginUpload(kind: Kind) {
  return (site: Site, call: Call): Answer => {
    const action = call.query.get('action')
    if (kind === 'video' && action === 'finalizeUpload') return endVideo(site, call)
    if (action !== 'initializeUpload') refuse(400, 'ILLEGAL_ARGUMENT', 'There is no such action')
    const asset = announce(site, call, kind)
    const { urn, expiresAt } = asset
    const uploadUrl = `${site.baseUrl()}/dms-uploads/${encodeURIComponent(urn)}`
    if (kind !== 'video')
      return jsonAnswer(200, { value: { uploadUrl, uploadUrlExpiresAt: expiresAt, [kind]: urn } })
    const uploadInstructions = partsOf(asset).map(([firstByte, lastByte], index) => ({
      uploadUrl: `${uploadUrl}/${index}`,
      firstByte,
      lastByte,
    }))
    const { uploadToken } = asset
    const value = { video: urn, uploadToken, uploadInstructions, uploadUrlsExpireAt: expiresAt }
    return jsonAnswer(200, { value })
  }
}

/** `PUT /dms-uploads/:urn`: a picture or document as a whole. */
export function receiveFile(site: Site, call: Call): Answer {
  const asset = openAsset(site, call)
  if (asset.kind === 'video' || asset.whole) refuse(400, 'BAD_REQUEST', 'Nothing is awaited here')
  if (call.body.length === 0) refuse(400, 'BAD_REQUEST', 'There are no bytes')
  site.record({ type: 'upload-complete', urn: asset.urn, whole: wholeOf(site, asset, call.body) })
  return { status: 201, headers: {}, body: '' }
}

/** `PUT /dms-uploads/:urn/:part`: the bytes of a video that the instruction names, no more and no fewer. */
export function receivePart(site: Site, call: Call): Answer {
  const asset = openAsset(site, call)
  const index = Number(call.params['part'])
  const [first, last] = partsOf(asset)[index] ?? refuse(400, 'BAD_REQUEST', 'There is no such part')
  if (call.body.length !== last - first + 1)
    refuse(400, 'BAD_REQUEST', `The part has ${last - first + 1} bytes`)
  const etag = `/ambry-video/${randomText(12)}`
  const sha256 = site.files.put(call.body)
  site.record({ type: 'part-received', urn: asset.urn, index, sha256, etag })
  return { status: 200, headers: { etag }, body: '' }
}

function endVideo(site: Site, call: Call): Answer {
  const { member } = authenticateVersioned(site, call)
  const body = End.safeParse(readJsonBody(call))
  if (!body.success) return refuseField('MISSING_FIELD', 'finalizeUploadRequest', 'is not complete')
  const { video, uploadToken, uploadedPartIds } = body.data.finalizeUploadRequest
  const asset = site.state.assets.get(video)
  if (!asset || !mayActAs(site, member.id, asset.owner))
    return refuse(400, 'BAD_REQUEST', `${video} is not found`)
  if (asset.whole) return refuse(400, 'BAD_REQUEST', `${video} is finalized already`)
  if (asset.uploadToken !== uploadToken)
    return refuseField('INVALID_VALUE_FOR_FIELD', 'uploadToken', 'is another one')
  const parts = partsOf(asset).map((_, index) => asset.parts.get(index))
  if (parts.map((part) => part?.etag).join(' ') !== uploadedPartIds.join(' '))
    return refuseField('INVALID_VALUE_FOR_FIELD', 'uploadedPartIds', 'are not those of the parts')
  const bytes = Buffer.concat(parts.flatMap((part) => site.files.get(part?.sha256 ?? '') ?? []))
  site.record({ type: 'upload-complete', urn: video, whole: wholeOf(site, asset, bytes) })
  return { status: 200, headers: {}, body: '' }
}

/** `GET /rest/videos/:urn`, and the same of pictures and documents, which a member's token may not read. */
export function showAsset(site: Site, call: Call): Answer {
  const caller = authenticateVersioned(site, call)
  const asset = site.state.assets.get(call.params['urn'] ?? '')
  if (!asset || !mayActAs(site, caller.member.id, asset.owner))
    return refuse(404, 'NOT_FOUND', 'Could not find entity')
  const isPage = asset.owner.startsWith(ORGANIZATION)
  if (!isPage && asset.kind !== 'video') deny(`${asset.kind}s.GET`)
  const { urn, owner, whole } = asset
  const reason = whole?.failure
  return jsonAnswer(200, {
    id: urn,
    owner,
    status: statusOf(site, asset),
    ...(statusOf(site, asset) === 'PROCESSING_FAILED' && { processingFailureReason: reason }),
  })
}

export function statusOf(site: Site, { whole }: Asset): string {
  if (!whole) return 'WAITING_UPLOAD'
  if (whole.readyAt > site.now()) return 'PROCESSING'
  return whole.failure === null ? 'AVAILABLE' : 'PROCESSING_FAILED'
}

function announce(site: Site, call: Call, kind: Kind): Asset {
  const caller = authenticateVersioned(site, call)
  const body = Begin.safeParse(readJsonBody(call))
  if (!body.success) return refuseField('MISSING_FIELD', 'owner', 'is missing')
  const { owner, fileSizeBytes } = body.data.initializeUploadRequest
  const isPage = owner.startsWith(ORGANIZATION)
  requireScope(caller, [isPage ? 'w_organization_social' : 'w_member_social'], `${kind}s.ACTION`)
  if (!mayActAs(site, caller.member.id, owner)) deny(`${kind}s.ACTION as ${owner}`)
  if (kind === 'video' && fileSizeBytes === undefined)
    refuseField('MISSING_FIELD', 'fileSizeBytes', 'is missing')
  if ((fileSizeBytes ?? 0) > MAX_VIDEO_BYTES)
    refuseField('INVALID_VALUE_FOR_FIELD', 'fileSizeBytes', 'is more than 500 MB')
  const urn = `urn:li:${kind}:C4D${randomText(9)}`
  const asset = {
    urn,
    kind,
    owner,
    sizeBytes: kind === 'video' ? (fileSizeBytes ?? null) : null,
    uploadToken: kind === 'video' ? randomText(9) : '',
    expiresAt: site.now() + EXPIRES_MS,
  }
  site.record({ type: 'upload-begun', asset })
  return { ...asset, parts: new Map() }
}

/** Bytes are sent to an address that only its owner knows, so it is known by the address. */
function openAsset(site: Site, call: Call): Asset {
  const asset = site.state.assets.get(call.params['urn'] ?? '')
  if (!asset) return refuse(404, 'NOT_FOUND', 'Could not find entity')
  if (asset.expiresAt <= site.now()) return refuse(403, 'ACCESS_DENIED', 'The address has expired')
  return asset
}

/** First and last byte of each part. */
function partsOf({ sizeBytes }: Asset): [number, number][] {
  const size = sizeBytes ?? 0
  return Array.from({ length: Math.ceil(size / PART_BYTES) }, (_, index) => [
    index * PART_BYTES,
    Math.min((index + 1) * PART_BYTES, size) - 1,
  ])
}
