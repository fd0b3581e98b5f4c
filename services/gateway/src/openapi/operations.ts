import { ACCOUNT_OPERATIONS } from './operations/account.ts'
import { MEDIA_OPERATIONS } from './operations/media.ts'
import { POST_ACTION_OPERATIONS } from './operations/post-actions.ts'
import { POST_OPERATIONS } from './operations/posts.ts'
import type { OperationDocs } from './operation-doc.ts'

/** What the document says of every endpoint. A row of `ROUTES` without its texts does not pass the type checker. */
export const OPERATIONS = {
  ...ACCOUNT_OPERATIONS,
  ...POST_OPERATIONS,
  ...POST_ACTION_OPERATIONS,
  ...MEDIA_OPERATIONS,
} satisfies OperationDocs
