import { graphRows, readGraphError } from '../graph-errors.ts'
import type { ErrorTable } from '../refusal.ts'

const duplicate = 'Facebook refused the post as a repeat of the one before. Change the text.'

/** What the refusals of Facebook mean. Rows are looked at from the top; the rest is decided by the status. */
export const FACEBOOK_ERRORS: ErrorTable = {
  name: 'Facebook',
  read: readGraphError,
  rows: [
    {
      code: /^506\b/,
      means: { outcome: 'permanent', errorCode: 'duplicate', message: duplicate },
    },
    {
      code: /^368\b/,
      says: /already posted/i,
      means: { outcome: 'permanent', errorCode: 'duplicate', message: duplicate },
    },
    {
      code: /\/1390008\b/,
      means: { outcome: 'rate_limited', message: 'Facebook finds that the Page posts too fast.' },
    },
    {
      code: /\/(1346003|1404102|1404078|1404006)\b/,
      means: {
        outcome: 'permanent',
        errorCode: 'policy',
        message: 'Facebook refused the post for its content. Look at the notices of the Page.',
      },
    },
    {
      code: /\/1609005\b/,
      means: {
        outcome: 'permanent',
        errorCode: 'invalid_link',
        message: 'Facebook could not read the linked page. Check the link.',
      },
    },
    {
      code: /\/(1366046|1363022|1363023|1363024|1363026|1363128)\b|^352\b|^6000\b/,
      means: {
        outcome: 'permanent',
        errorCode: 'media_unfit',
        message: 'Facebook does not take a file of the post: its size, format or shape.',
      },
    },
    {
      code: /^(324|389)\b/,
      means: { outcome: 'transient', message: 'Facebook could not fetch a file of the post.' },
    },
    {
      // An upload that broke off or has expired.
      code: /\/(1363019|1363030|1363033|1363037|1363041)\b/,
      means: { outcome: 'unprepared', message: 'Facebook has lost the upload of the video.' },
    },
    {
      code: /^100\b/,
      says: /media_fbid/i,
      means: { outcome: 'unprepared', message: 'Facebook no longer has a picture of the post.' },
    },
    {
      code: /\/4854002\b/,
      means: {
        outcome: 'permanent',
        errorCode: 'account_suspended',
        message: 'Facebook wants the owner of the Page to confirm who they are. Do so in Facebook.',
      },
    },
    {
      says: /message.*too long|too long.*message/i,
      means: {
        outcome: 'permanent',
        errorCode: 'text_too_long',
        message: 'The text is longer than Facebook allows. Shorten it.',
      },
    },
    ...graphRows('Facebook'),
  ],
}
