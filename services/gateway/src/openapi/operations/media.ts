import { MediaId } from '@herald/contracts/ids'
import {
  CURSOR,
  IDS,
  IMPORTED_MEDIA,
  NO_SUCH_FILE,
  PENDING_MEDIA,
  READY_MEDIA,
} from '../examples.ts'
import type { OperationDocs, ParamDoc } from '../operation-doc.ts'
import type { Refusal } from '../refusals.ts'

const MEDIA_ID: ParamDoc = { schema: MediaId, example: IDS.media }

const STORAGE_FULL: Refusal = {
  code: 'limit_reached',
  when: "The file does not fit into the organization's storage of 5 GB.",
  message: "The organization's storage is full.",
  details: { limitBytes: 5_368_709_120, usedBytes: 5_368_700_000 },
}
const MISLEADING_NAME: Refusal = {
  code: 'validation_failed',
  when: 'The ending of the file name is that of another type of file.',
  message: 'A file named .exe is not of the type image/png.',
  details: { issues: [{ path: 'fileName', message: 'does not fit the type image/png' }] },
}
const UNREADABLE: Refusal = {
  code: 'validation_failed',
  when: 'The file cannot be read to its end, or is of a type that is not accepted.',
  message: 'This file cannot be read.',
}

/** The endpoints of the media library. */
export const MEDIA_OPERATIONS = {
  listMedia: {
    tag: 'Media',
    summary: 'List files',
    description: `
The ready files of the organization, newest first.

- \`type=image\` leaves GIFs out; \`type=media\` is everything that a post can carry on most platforms: images, GIFs and videos.
- \`q\` has at most 200 characters. Every word of it must occur in the file name, the alt text or the description, in any
  case and also as a part of a word.
- \`cursor\` is the \`nextCursor\` of the page before, sent with the same filters; any other is 422.`,
    query: { type: 'media', q: 'bread oven', limit: '25', cursor: CURSOR },
    answer: 'A page of files.',
    answers: {
      firstPage: {
        summary: 'A page with more behind it',
        value: { data: [READY_MEDIA, IMPORTED_MEDIA], nextCursor: CURSOR },
      },
      lastPage: { summary: 'The last page', value: { data: [READY_MEDIA], nextCursor: null } },
    },
    refusals: {
      foreignCursor: {
        code: 'validation_failed',
        when: 'The cursor is not one of this list with these filters.',
        message: 'The cursor is not one of this list.',
        details: { issues: [{ path: 'cursor', message: 'is not a cursor of this list' }] },
      },
    },
  },
  importMedia: {
    tag: 'Media',
    summary: 'Import a file from an address',
    description: `
Downloads a file from a public http or https address into the library. It is \`ready\` when this answers, which may take up to
a minute.

- Accepted are images (JPEG, PNG, WEBP, GIF) of at most 50 MB, videos (MP4, MOV, WEBM) of at most 200 MB and documents (PDF,
  DOC, DOCX, PPT, PPTX) of at most 100 MB, where 1 MB is 1,048,576 bytes. What the file is decides its content, not its name
  and not what its server says.
- Only the ports 80 and 443 of public addresses are asked, and at most three redirects are followed. Every address that is not
  is refused with the same words.
- \`fileName\` is made of the address when it is left out.`,
    requests: {
      picture: {
        summary: 'A picture',
        value: { url: 'https://bakery.example/oven.jpg', altText: 'Loaves in an oven' },
      },
    },
    answer: 'The file, ready.',
    answers: { ready: { summary: 'Ready', value: IMPORTED_MEDIA } },
    refusals: {
      storageFull: STORAGE_FULL,
      unreachable: {
        code: 'validation_failed',
        when: 'The file is unreachable, private, too slow or too large.',
        message: 'The file could not be downloaded from this address.',
        details: { issues: [{ path: 'url', message: 'cannot be downloaded' }] },
      },
      unreadable: UNREADABLE,
      misleadingName: MISLEADING_NAME,
    },
    hasEtag: true,
    takesIdempotencyKey: true,
  },
  createUpload: {
    tag: 'Media',
    summary: 'Announce an upload',
    description: `
The first of three steps: announces a file, reserves its bytes, and answers where to send them. The second step is a \`PUT\` of
the raw bytes to \`upload.url\` with exactly the headers in \`upload.headers\`, within 15 minutes; it goes straight to storage
and does not count towards any limit. The third is \`POST /media/{id}/complete\`.

- The types and sizes are those of \`POST /media/import\`. \`fileSize\` is exact: storage refuses one byte more or less.
- An upload that is not completed within 15 minutes is \`failed\`, and its bytes come back.
- A replay of it by its \`Idempotency-Key\` gives the same address again, also when its 15 minutes have passed.`,
    requests: {
      picture: {
        summary: 'A picture of 184,213 bytes',
        value: {
          fileName: 'oven.jpg',
          mimeType: 'image/jpeg',
          fileSize: 184_213,
          altText: 'Loaves in an oven',
        },
      },
    },
    answer: 'The file, pending, and where to send its bytes.',
    answers: {
      announced: {
        summary: 'Announced',
        value: {
          media: PENDING_MEDIA,
          upload: {
            method: 'PUT',
            url: 'https://storage.example/herald-media/uploads/med_01kb5x9a1vf8t2m3n4p5q6r7s8?X-Amz-Signature=…',
            headers: {
              'content-type': 'image/jpeg',
              'content-length': '184213',
              'if-none-match': '*',
            },
            expiresAt: '2026-11-21T09:45:00.000Z',
          },
          next: 'PUT the bytes of the file to upload.url with exactly the headers in upload.headers before 2026-11-21T09:45:00.000Z, then POST to /v1/media/med_01kb5x9a1vf8t2m3n4p5q6r7s8/complete.',
        },
      },
    },
    refusals: { storageFull: STORAGE_FULL, misleadingName: MISLEADING_NAME },
    takesIdempotencyKey: true,
  },
  getMedia: {
    tag: 'Media',
    summary: 'Read a file',
    description: `
A file with its state. \`description\` is made by a machine in the background, so it is null for a while.

- \`url\` and \`thumbnailUrl\` need no key and do not change. Nobody can guess them.
- \`url\` gives the bytes as they came, with all metadata. What a platform gets of a picture that may tell where it was taken has
  none.
- \`failed\` is an upload whose 15 minutes have passed.`,
    params: { id: MEDIA_ID },
    answer: 'The file.',
    answers: {
      ready: { summary: 'Ready', value: READY_MEDIA },
      pending: { summary: 'Announced', value: PENDING_MEDIA },
    },
    refusals: { noSuchFile: NO_SUCH_FILE },
    hasEtag: true,
  },
  deleteMedia: {
    tag: 'Media',
    summary: 'Delete a file',
    description: `
Deletes a file for good, with its bytes and thumbnail. It is refused while a post that is \`scheduled\` or \`publishing\` holds
it, and allowed when the post has ended. A pending upload can be deleted.`,
    params: { id: MEDIA_ID },
    answer: 'The file is gone.',
    answers: { deleted: { summary: 'Gone', value: { id: IDS.media, deleted: true } } },
    refusals: {
      noSuchFile: NO_SUCH_FILE,
      attached: {
        code: 'conflict',
        when: 'A post that is not published yet holds the file; `details.postId` names one that the key may see.',
        message: 'The file is attached to a post that is not published yet.',
        details: { postId: IDS.post },
      },
    },
    hasEtag: true,
  },
  completeUpload: {
    tag: 'Media',
    summary: 'Complete an upload',
    description: `
The last step of an upload: the bytes are read to their end, and the file becomes \`ready\` with its dimensions. It has no body
and may be called again, also at the same time.

- After a 422 the file stays \`pending\`, and the bytes can be sent again to the same address.
- Width and height are as shown, so after the orientation that a camera noted.`,
    params: { id: MEDIA_ID },
    answer: 'The file, ready.',
    answers: { ready: { summary: 'Ready', value: READY_MEDIA } },
    refusals: {
      noSuchFile: NO_SUCH_FILE,
      nothingUploaded: {
        code: 'conflict',
        when: 'Nothing has been uploaded yet, or the 15 minutes have passed.',
        message:
          'Nothing has been uploaded yet. PUT the bytes of the file to the upload address first.',
      },
      unreadable: UNREADABLE,
      otherKind: {
        code: 'validation_failed',
        when: 'The file is of another kind than it was announced.',
        message: 'The upload was announced as a video, and the file is an image.',
      },
    },
    hasEtag: true,
    takesIdempotencyKey: true,
  },
} satisfies OperationDocs<
  'listMedia' | 'importMedia' | 'createUpload' | 'getMedia' | 'deleteMedia' | 'completeUpload'
>
