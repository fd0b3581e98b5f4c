import type { Answer, Call } from '../../call.ts'
import { GREY_PIXEL } from '../../grey-pixel.ts'
import { authorizeOperations } from '../../oauth/authorize-page.ts'
import type { Operation } from '../../stand-in.ts'
import { accountOfUpload, leaseUpload, showFile, storeFile } from './media.ts'
import { listFlairs, listSubmitted, showMe, showPostPage } from './read.ts'
import type { Reddit } from './server.ts'
import { submit } from './submit.ts'
import { submitGallery } from './submit-gallery.ts'
import { accountOfCode, issueToken, revokeToken } from './token.ts'

type Handle = (reddit: Reddit, call: Call) => Answer | Promise<Answer>

/** Most of a video that the library has, with its form. */
const MAX_UPLOAD_BYTES = 250_000_000

/** Every endpoint of www.reddit.com, oauth.reddit.com and the storage for uploads. */
export function redditOperations(reddit: Reddit): Operation[] {
  const operation = (
    method: Operation['method'],
    path: string,
    kind: Operation['kind'],
    handle: Handle,
    more: Partial<Operation> = {},
  ): Operation => ({ method, path, kind, handle: (call) => handle(reddit, call), ...more })
  return [
    ...authorizeOperations(reddit, reddit.provider),
    operation('post', '/api/v1/access_token', 'auth', issueToken, {
      accountOf: (call) => accountOfCode(reddit, call),
    }),
    operation('post', '/api/v1/revoke_token', 'auth', revokeToken),
    operation('get', '/api/v1/me', 'read', showMe),
    operation('post', '/api/media/asset.json', 'media', leaseUpload),
    operation('post', '/storage', 'media', storeFile, {
      maxBytes: MAX_UPLOAD_BYTES,
      accountOf: (call) => accountOfUpload(reddit, call),
    }),
    operation('post', '/api/submit', 'commit', submit),
    operation('post', '/api/submit_gallery_post.json', 'commit', submitGallery),
    operation('get', '/user/:username/submitted', 'read', listSubmitted),
    operation('get', '/r/:subreddit/api/link_flair_v2', 'read', listFlairs),
    operation('get', '/r/:subreddit/comments/:id/:slug', 'page', showPostPage),
    operation('get', '/media/:id', 'page', showFile),
    operation('get', '/avatar.png', 'page', () => GREY_PIXEL),
  ]
}
