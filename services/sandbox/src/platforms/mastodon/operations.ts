import type { Answer, Call } from '../../call.ts'
import { GREY_PIXEL } from '../../grey-pixel.ts'
import type { Operation } from '../../stand-in.ts'
import { listAccountStatuses, lookUpAccount, verifyCredentials } from './accounts.ts'
import { registerApp } from './apps.ts'
import { decideAuthorize, showAuthorize } from './authorize.ts'
import { createStatus, idempotencyKeyOf } from './create-status.ts'
import type { Instance } from './instance.ts'
import { showInstance, showInstanceV1 } from './instance-views.ts'
import { LIMITS } from './limits.ts'
import { changeMedia, showMedia, uploadMedia } from './media.ts'
import { showFile, showStatus, showStatusPage } from './statuses.ts'
import { accountOfCode, issueToken, revokeToken } from './token.ts'

type Handle = (instance: Instance, call: Call) => Answer | Promise<Answer>

/** Every endpoint of the instance. */
export function mastodonOperations(instance: Instance): Operation[] {
  const operation = (
    method: Operation['method'],
    path: string,
    kind: Operation['kind'],
    handle: Handle,
    more: Partial<Operation> = {},
  ): Operation => ({ method, path, kind, handle: (call) => handle(instance, call), ...more })
  return [
    operation('post', '/api/v1/apps', 'auth', registerApp),
    operation('get', '/oauth/authorize', 'page', showAuthorize),
    operation('post', '/oauth/authorize', 'page', decideAuthorize),
    operation('post', '/oauth/token', 'auth', issueToken, {
      accountOf: (call) => accountOfCode(instance, call),
    }),
    operation('post', '/oauth/revoke', 'auth', revokeToken),
    operation('get', '/api/v1/instance', 'read', showInstanceV1),
    operation('get', '/api/v2/instance', 'read', showInstance),
    operation('get', '/api/v1/accounts/verify_credentials', 'read', verifyCredentials),
    operation('get', '/api/v1/accounts/lookup', 'read', lookUpAccount),
    operation('get', '/api/v1/accounts/:id/statuses', 'read', listAccountStatuses),
    operation('post', '/api/v2/media', 'media', uploadMedia, { maxBytes: LIMITS.videoBytes }),
    operation('get', '/api/v1/media/:id', 'media', showMedia),
    operation('put', '/api/v1/media/:id', 'media', changeMedia),
    operation('post', '/api/v1/statuses', 'commit', createStatus, { keyOf: idempotencyKeyOf }),
    operation('get', '/api/v1/statuses/:id', 'read', showStatus),
    operation('get', '/@:username/:id', 'page', showStatusPage),
    operation('get', '/system/media_attachments/:id', 'page', showFile),
    operation('get', '/avatars/original/missing.png', 'page', () => GREY_PIXEL),
  ]
}
