import type { Account } from '../../oauth/state.ts'
import { uploadedUrl } from './media.ts'
import type { Reddit } from './server.ts'
import type { StoredFile } from './state.ts'

/** The file of an account that a post names by its address in the storage. */
export function findUpload(reddit: Reddit, account: Account, url: string): StoredFile | undefined {
  const file = ownFile(reddit, account, url.split('/').at(-1) ?? '')
  return file && uploadedUrl(reddit, file.assetId) === url ? file : undefined
}

/** The file of an account that a gallery names by its id. */
export function ownFile(reddit: Reddit, account: Account, assetId: string): StoredFile | undefined {
  const isOwn = reddit.state.leases.get(assetId)?.accountId === account.id
  return isOwn ? reddit.state.files.get(assetId) : undefined
}
