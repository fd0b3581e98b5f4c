import type { Answer, Call } from '../../call.ts'
import type { Operation } from '../../stand-in.ts'
import { MAX_BLOB_BYTES, showBlob, uploadBlob } from './blobs.ts'
import { describeServer, getProfile, resolveHandle } from './identity.ts'
import { showPostPage } from './post-page.ts'
import { getRecord, listRecords } from './read-records.ts'
import type { Server } from './server.ts'
import {
  accountOfLogin,
  createSession,
  deleteSession,
  getSession,
  refreshSession,
} from './sessions.ts'
import { createRecord, putRecord, recordKeyOf } from './write-record.ts'

type Handle = (server: Server, call: Call) => Answer

/** Every method and page of the server. */
export function blueskyOperations(server: Server): Operation[] {
  const method = (
    verb: Operation['method'],
    nsid: string,
    kind: Operation['kind'],
    handle: Handle,
    more: Partial<Operation> = {},
  ): Operation => ({
    method: verb,
    path: `/xrpc/${nsid}`,
    kind,
    handle: (call) => handle(server, call),
    ...more,
  })
  const page = (path: string, handle: Handle): Operation => ({
    method: 'get',
    path,
    kind: 'page',
    handle: (call) => handle(server, call),
  })
  return [
    method('post', 'com.atproto.server.createSession', 'auth', createSession, {
      accountOf: (call) => accountOfLogin(server, call),
    }),
    method('post', 'com.atproto.server.refreshSession', 'auth', refreshSession),
    method('get', 'com.atproto.server.getSession', 'auth', getSession),
    method('post', 'com.atproto.server.deleteSession', 'auth', deleteSession),
    method('get', 'com.atproto.server.describeServer', 'read', describeServer),
    method('get', 'com.atproto.identity.resolveHandle', 'read', resolveHandle),
    method('get', 'app.bsky.actor.getProfile', 'read', getProfile),
    method('post', 'com.atproto.repo.uploadBlob', 'media', uploadBlob, {
      maxBytes: MAX_BLOB_BYTES,
    }),
    method('post', 'com.atproto.repo.createRecord', 'commit', createRecord, { keyOf: recordKeyOf }),
    method('post', 'com.atproto.repo.putRecord', 'commit', putRecord, { keyOf: recordKeyOf }),
    method('get', 'com.atproto.repo.getRecord', 'read', getRecord),
    method('get', 'com.atproto.repo.listRecords', 'read', listRecords),
    page('/profile/:actor/post/:rkey', showPostPage),
    page('/blobs/:did/:cid', showBlob),
  ]
}
