import type { Answer, Call } from '../../call.ts'
import { authorizeOperations } from '../../oauth/authorize-page.ts'
import type { Operation } from '../../stand-in.ts'
import { createPost } from './create-post.ts'
import { append, describe, finalize, initialize, showUpload, uploadAtOnce } from './media.ts'
import { listPosts, showFile, showPage, showPost } from './posts.ts'
import type { Site } from './site.ts'
import { accountOfCode, issueToken, revokeToken } from './token.ts'
import { showMe } from './users.ts'

type Handle = (site: Site, call: Call) => Answer | Promise<Answer>

/** The longest call that brings a part of a file, with what stands around it. */
const MAX_PART_BYTES = 5 * 1024 * 1024 + 10_000
/** Base64 of the largest picture. */
const MAX_PICTURE_BYTES = 7 * 1024 * 1024

/** Every endpoint of X. */
export function xOperations(site: Site): Operation[] {
  const operation = (
    method: Operation['method'],
    path: string,
    kind: Operation['kind'],
    handle: Handle,
    more: Partial<Operation> = {},
  ): Operation => ({ method, path, kind, handle: (call) => handle(site, call), ...more })
  return [
    ...authorizeOperations(site, site.provider),
    operation('post', '/2/oauth2/token', 'auth', issueToken, {
      accountOf: (call) => accountOfCode(site, call),
    }),
    operation('post', '/2/oauth2/revoke', 'auth', revokeToken),
    operation('get', '/2/users/me', 'read', showMe),
    operation('get', '/2/users/:id/tweets', 'read', listPosts),
    operation('post', '/2/tweets', 'commit', createPost),
    operation('get', '/2/tweets/:id', 'read', showPost),
    operation('post', '/2/media/upload/initialize', 'media', initialize),
    operation('post', '/2/media/upload/:id/append', 'media', append, { maxBytes: MAX_PART_BYTES }),
    operation('post', '/2/media/upload/:id/finalize', 'media', finalize),
    operation('post', '/2/media/upload', 'media', uploadAtOnce, { maxBytes: MAX_PICTURE_BYTES }),
    operation('get', '/2/media/upload', 'media', showUpload),
    operation('post', '/2/media/metadata', 'media', describe),
    operation('get', '/:username/status/:id', 'page', showPage),
    operation('get', '/media/:id', 'page', showFile),
  ]
}
