import type { Answer, Call } from '../../call.ts'
import { authorizeOperations } from '../../oauth/authorize-page.ts'
import type { Operation } from '../../stand-in.ts'
import { listRoles, showMember } from './members.ts'
import { showFile, showPage } from './pages.ts'
import { authorOf, createPost, listPosts } from './posts.ts'
import type { Site } from './site.ts'
import { accountOfCode, issueToken } from './token.ts'
import { beginUpload, PART_BYTES, receiveFile, receivePart, showAsset } from './uploads.ts'

type Handle = (site: Site, call: Call) => Answer | Promise<Answer>

const MAX_FILE_BYTES = 101 * 1024 * 1024

/** Every endpoint of LinkedIn. */
export function linkedinOperations(site: Site): Operation[] {
  const operation = (
    method: Operation['method'],
    path: string,
    kind: Operation['kind'],
    handle: Handle,
    more: Partial<Operation> = {},
  ): Operation => ({ method, path, kind, handle: (call) => handle(site, call), ...more })
  return [
    ...authorizeOperations(site, site.provider),
    operation('post', '/oauth/v2/accessToken', 'auth', issueToken, {
      accountOf: (call) => accountOfCode(site, call),
    }),
    operation('get', '/v2/userinfo', 'read', showMember),
    operation('get', '/v2/organizationalEntityAcls', 'read', listRoles),
    operation('post', '/rest/posts', 'commit', createPost, { accountOf: authorOf }),
    operation('get', '/rest/posts', 'read', listPosts),
    ...(['image', 'document', 'video'] as const).flatMap((kind) => [
      operation('post', `/rest/${kind}s`, 'media', beginUpload(kind)),
      operation('get', `/rest/${kind}s/:urn`, 'media', showAsset),
    ]),
    operation('put', '/dms-uploads/:urn', 'media', receiveFile, { maxBytes: MAX_FILE_BYTES }),
    operation('put', '/dms-uploads/:urn/:part', 'media', receivePart, { maxBytes: PART_BYTES }),
    operation('get', '/feed/update/:urn', 'page', showPage),
    operation('get', '/dms/:urn', 'page', showFile),
  ]
}
