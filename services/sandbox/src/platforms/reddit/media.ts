import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { describe } from '../../fetch-file.ts'
import { randomText } from '../../random-text.ts'
import { readForm } from '../../read-form.ts'
import { readS3Form, s3Error, xmlAnswer } from '../../s3-form.ts'
import { authenticate } from './authenticate.ts'
import { refuse } from './refusals.ts'
import { newId, type Reddit } from './server.ts'

const LEASE_MS = 3_600_000
const FOLDER = 'rte_images'
const IMAGE_BYTES = 20 * 1024 * 1024
const VIDEO_BYTES = 1024 * 1024 * 1024
const MIME_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'video/mp4', 'video/quicktime']

/** `POST /api/media/asset.json`: the right to upload one file, within an hour. */
export async function leaseUpload(reddit: Reddit, call: Call): Promise<Answer> {
  const account = authenticate(reddit, call, 'submit')
  const { filepath, mimetype } = (await readForm(call))?.fields ?? {}
  if (typeof filepath !== 'string' || filepath === '') refuse(400)
  if (typeof mimetype !== 'string' || !MIME_TYPES.includes(mimetype)) refuse(400)
  const assetId = newId()
  const policy = randomText()
  const expiresAt = reddit.now() + LEASE_MS
  const lease = { assetId, accountId: account.id, mimeType: mimetype, policy, expiresAt }
  reddit.record({ type: 'lease-made', lease })
  const fields = {
    acl: 'private',
    key: `${FOLDER}/${assetId}`,
    policy,
    'Content-Type': mimetype,
    success_action_status: '201',
  }
  return jsonAnswer(200, {
    args: {
      action: storageUrl(reddit).replace(/^https?:/, ''),
      fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
    },
    asset: {
      asset_id: assetId,
      processing_state: 'incomplete',
      payload: { filepath },
      websocket_url: websocketUrl(reddit, assetId),
    },
  })
}

/** The storage that Reddit leads uploads to: takes the fields of the lease and the file after them. */
export async function storeFile(reddit: Reddit, call: Call): Promise<Answer> {
  const form = await readS3Form(call, ['key', 'policy'])
  if ('refusal' in form) return form.refusal
  const { fields, file } = form
  const assetId = (fields['key'] ?? '').replace(`${FOLDER}/`, '')
  const lease = reddit.state.leases.get(assetId)
  if (!lease || fields['policy'] !== lease.policy || fields['Content-Type'] !== lease.mimeType)
    return s3Error(403, 'AccessDenied', 'Invalid according to Policy: Policy Condition failed')
  if (lease.expiresAt <= reddit.now())
    return s3Error(403, 'AccessDenied', 'Invalid according to Policy: Policy expired.')
  const limit = lease.mimeType.startsWith('video/') ? VIDEO_BYTES : IMAGE_BYTES
  const { length: sizeBytes } = file.bytes
  if (sizeBytes > limit)
    return s3Error(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size', {
      ProposedSize: sizeBytes,
      MaxSizeAllowed: limit,
    })
  const { mimeType, width, height } = describe(file.bytes, lease.mimeType)
  const sha256 = reddit.files.put(file.bytes)
  reddit.record({
    type: 'file-stored',
    file: { assetId, mimeType, sizeBytes, sha256, width, height },
  })
  const location = encodeURIComponent(uploadedUrl(reddit, assetId))
  return xmlAnswer(
    201,
    `<PostResponse><Location>${location}</Location><Bucket>reddit-uploaded-media</Bucket><Key>${fields['key']}</Key></PostResponse>`,
  )
}

/** Whose file a call to the storage brings. */
export async function accountOfUpload(reddit: Reddit, call: Call): Promise<string | undefined> {
  const key = (await readForm(call))?.fields['key']
  const assetId = String(key).replace(`${FOLDER}/`, '')
  return reddit.state.leases.get(assetId)?.accountId
}

/** `GET /media/:id`: the bytes of a file, as the post shows it. */
export function showFile(reddit: Reddit, call: Call): Answer {
  const file = reddit.state.files.get(call.params['id'] ?? '')
  const bytes = file && reddit.files.get(file.sha256)
  if (!bytes) refuse(404)
  return {
    status: 200,
    headers: { 'content-type': file.mimeType, 'x-content-type-options': 'nosniff' },
    body: bytes,
  }
}

/** Where a file is in the storage: what a post names it by. */
export function uploadedUrl(reddit: Reddit, assetId: string): string {
  return `${storageUrl(reddit)}/${FOLDER}/${assetId}`
}

export function websocketUrl(reddit: Reddit, assetId: string): string {
  return `${reddit.baseUrl().replace(/^http/, 'ws')}/ws/${assetId}`
}

function storageUrl(reddit: Reddit): string {
  return `${reddit.baseUrl()}/storage`
}
