import { z } from 'zod'
import { readJson } from '../read-json.ts'
import type { Complaint, ErrorTable, RefusalRow } from '../refusal.ts'

const LinkedinError = z.object({
  message: z.string().optional(),
  code: z.string().optional(),
  errorDetails: z
    .object({ inputErrors: z.array(z.object({ code: z.string().optional() })).optional() })
    .optional()
    .catch(undefined),
})

/** What LinkedIn says in a refusal. The code of a wrong field is more telling than that of the refusal. */
export function readLinkedinError(text: string): Complaint {
  const { message, code, errorDetails } = readJson(LinkedinError, text) ?? {}
  return { code: errorDetails?.inputErrors?.[0]?.code ?? code, message }
}

const tooLong: RefusalRow['means'] = {
  outcome: 'permanent',
  errorCode: 'text_too_long',
  message: 'The text is longer than LinkedIn allows: 3000 characters. Shorten it.',
}
const duplicate: RefusalRow['means'] = {
  outcome: 'permanent',
  errorCode: 'duplicate',
  message:
    'LinkedIn has a post with this content already. Look at the account, and change the text to post again.',
}
const stillWorking: RefusalRow['means'] = {
  outcome: 'transient',
  message: 'LinkedIn is still working on the files of the post.',
}
const lostFile: RefusalRow['means'] = {
  outcome: 'unprepared',
  message: 'LinkedIn no longer has an uploaded file, or cannot use it.',
}
const oldVersion: RefusalRow['means'] = {
  outcome: 'permanent',
  errorCode: 'platform_version',
  message:
    'LinkedIn has closed the version of its API that is set. Set LINKEDIN_VERSION to a newer one.',
}
const unready = /still processing|not (yet )?(ready|available|processed)|waiting_upload/i
const missing = /urn:li:(image|video|document):\S+ .*(not found|not exist|invalid|not owned)/i

const COMMON: RefusalRow[] = [
  {
    status: 401,
    means: {
      outcome: 'reauth',
      message: 'LinkedIn does not accept the access token any more. Connect the channel again.',
    },
  },
  { status: 426, means: oldVersion },
  { code: 'NONEXISTENT_VERSION', means: oldVersion },
  {
    status: 403,
    means: {
      outcome: 'permanent',
      errorCode: 'missing_permission',
      message:
        'LinkedIn does not let the app post for this account: its access is too narrow, or the member is no longer an administrator of the page. Connect the channel again.',
    },
  },
  {
    status: 429,
    means: {
      outcome: 'rate_limited',
      message: 'LinkedIn takes no more from this account for now. Its limits are those of a day.',
    },
  },
]

/** What LinkedIn's refusals of a post mean. Rows are looked at from the top; the rest is decided by the status. */
export const LINKEDIN_ERRORS: ErrorTable = {
  name: 'LinkedIn',
  read: readLinkedinError,
  rows: [
    ...COMMON,
    { code: 'DUPLICATE_POST', means: duplicate },
    { status: 422, says: /duplicate/i, means: duplicate },
    { code: 'FIELD_LENGTH_TOO_LONG', means: tooLong },
    { status: 400, says: unready, means: stillWorking },
    { status: 422, says: unready, means: stillWorking },
    { status: 400, says: missing, means: lostFile },
    { status: 422, says: missing, means: lostFile },
  ],
}

const unfit: RefusalRow['means'] = {
  outcome: 'permanent',
  errorCode: 'media_unfit',
  message: 'LinkedIn does not take a file of the post: it is too large or of another type.',
}

/** What refusals of a file mean. */
export const LINKEDIN_MEDIA_ERRORS: ErrorTable = {
  ...LINKEDIN_ERRORS,
  rows: [
    ...COMMON,
    { status: 400, means: unfit },
    { status: 413, means: unfit },
    { status: 415, means: unfit },
    { status: 422, means: unfit },
  ],
}
