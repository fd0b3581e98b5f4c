import type { Answer, Call } from '../../call.ts'
import { GREY_PIXEL } from '../../grey-pixel.ts'
import { authorizeOperations } from '../../oauth/authorize-page.ts'
import type { Operation } from '../../stand-in.ts'
import { createBoard, listBoards } from './boards.ts'
import { accountOfUpload, registerMedia, showMedia, storeVideo } from './media.ts'
import { showAccount, showFile, showPinPage } from './pages.ts'
import { createPin, listBoardPins, listPins, showPin } from './pins.ts'
import type { Pinterest } from './server.ts'
import { accountOfCode, issueToken } from './token.ts'

type Handle = (pinterest: Pinterest, call: Call) => Answer | Promise<Answer>

/** Most of a video that the library has, with its form. */
const MAX_UPLOAD_BYTES = 250_000_000
/** Pictures may be part of a call. */
const MAX_PIN_BYTES = 150_000_000

/** Every endpoint of www.pinterest.com, api.pinterest.com and the storage for uploads. */
export function pinterestOperations(pinterest: Pinterest): Operation[] {
  const operation = (
    method: Operation['method'],
    path: string,
    kind: Operation['kind'],
    handle: Handle,
    more: Partial<Operation> = {},
  ): Operation => ({ method, path, kind, handle: (call) => handle(pinterest, call), ...more })
  return [
    ...authorizeOperations(pinterest, pinterest.provider),
    operation('post', '/v5/oauth/token', 'auth', issueToken, {
      accountOf: (call) => accountOfCode(pinterest, call),
    }),
    operation('get', '/v5/user_account', 'read', showAccount),
    operation('get', '/v5/boards', 'read', listBoards),
    operation('post', '/v5/boards', 'read', createBoard),
    operation('get', '/v5/boards/:id/pins', 'read', listBoardPins),
    operation('post', '/v5/media', 'media', registerMedia),
    operation('get', '/v5/media/:id', 'media', showMedia),
    operation('post', '/storage', 'media', storeVideo, {
      maxBytes: MAX_UPLOAD_BYTES,
      accountOf: (call) => accountOfUpload(pinterest, call),
    }),
    operation('post', '/v5/pins', 'commit', createPin, { maxBytes: MAX_PIN_BYTES }),
    operation('get', '/v5/pins', 'read', listPins),
    operation('get', '/v5/pins/:id', 'read', showPin),
    operation('get', '/pin/:id', 'page', showPinPage),
    operation('get', '/files/:sha256', 'page', showFile),
    operation('get', '/avatar.png', 'page', () => GREY_PIXEL),
  ]
}
