import { z } from 'zod'
import { readJson } from '../read-json.ts'
import type { Complaint, ErrorTable, RefusalRow } from '../refusal.ts'

const XrpcError = z.object({ error: z.string(), message: z.string().optional() })

/** What an XRPC server says in a refusal. */
export function readXrpcError(text: string): Complaint {
  const body = readJson(XrpcError, text)
  return { code: body?.error, message: body?.message }
}

const suspended: RefusalRow['means'] = {
  outcome: 'permanent',
  errorCode: 'account_suspended',
  message: 'Bluesky has suspended this account. Log in to Bluesky to see why.',
}
const oldToken: RefusalRow['means'] = {
  outcome: 'reauth',
  message: 'Bluesky does not accept the session any more.',
}

const unfitFile: RefusalRow['means'] = {
  outcome: 'permanent',
  errorCode: 'media_unfit',
  message: 'Bluesky does not take a file of the post: it is too large or of another type.',
}

/** What the refusals of an AT Protocol server mean. Rows are looked at from the top; the rest goes by the status. */
export const BLUESKY_ERRORS: ErrorTable = {
  name: 'Bluesky',
  read: readXrpcError,
  rows: [
    { code: 'AccountTakedown', means: suspended },
    { code: 'AccountSuspended', means: suspended },
    {
      code: 'AccountDeactivated',
      means: {
        outcome: 'permanent',
        errorCode: 'account_deactivated',
        message: 'The Bluesky account is deactivated. Log in to Bluesky to activate it.',
      },
    },
    { code: 'ExpiredToken', means: oldToken },
    { code: 'InvalidToken', means: oldToken },
    { status: 401, means: oldToken },
    {
      status: 400,
      says: /too (big|long).*\btext\b|\btext\b.*(longer than|too long)/i,
      means: {
        outcome: 'permanent',
        errorCode: 'text_too_long',
        message:
          'The text is longer than Bluesky allows: 300 characters and 3000 bytes. Shorten it.',
      },
    },
    {
      status: 400,
      says: /array too big.*image/i,
      means: {
        outcome: 'permanent',
        errorCode: 'too_many_images',
        message: 'The post has more images than Bluesky allows: 4.',
      },
    },
    {
      code: 'BlobNotFound',
      means: {
        outcome: 'unprepared',
        message: 'Bluesky no longer has an uploaded file.',
      },
    },
    { code: 'BlobTooLarge', means: unfitFile },
    { code: 'InvalidMimeType', means: unfitFile },
    {
      status: 400,
      says: /could not find repo/i,
      means: {
        outcome: 'permanent',
        errorCode: 'account_not_found',
        message: 'This server does not hold the account any more. Connect the channel again.',
      },
    },
    {
      status: 429,
      means: {
        outcome: 'rate_limited',
        message: 'Bluesky takes no more posts from this account for now.',
      },
    },
  ],
}

/** What refusals of a file mean. How large one may be is for the server to say. */
export const BLUESKY_MEDIA_ERRORS: ErrorTable = {
  ...BLUESKY_ERRORS,
  rows: [
    {
      status: 413,
      means: {
        outcome: 'permanent',
        errorCode: 'media_unfit',
        message: 'A file of the post is larger than this Bluesky server allows.',
      },
    },
    ...BLUESKY_ERRORS.rows,
  ],
}
