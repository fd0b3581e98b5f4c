import type { RouteName } from '@herald/contracts/http'

/** The ids that a caller tries at a place of a request. What is not `own` must look as if it did not exist. */
export const KINDS = ['own', 'unknown', 'foreign', 'hidden', 'deleted'] as const
export type Kind = (typeof KINDS)[number]

/** What stands at the place: each kind of thing has its own ids of every kind. */
export type Thing = 'post' | 'media' | 'channel' | 'cursor of posts' | 'cursor of media'

export type Row = {
  place: 'path' | 'query' | 'body' | 'cursor'
  thing: Thing
  /** Where the id goes: the path's parameter, or the name in the query or body. */
  name: string
  /** A body that would be accepted; the id is put into it. */
  body?: Record<string, unknown>
  /** The answer for an own id, and for every other one. */
  own: number
  others: 404 | 422 | 'an empty page'
  /** Kinds that do not exist for this thing, or are answered otherwise, with what they are answered. */
  except?: Partial<Record<Kind, number | 'does not apply'>>
}

const POST_IN_PATH = { place: 'path', thing: 'post', name: 'id', others: 404 } as const
const FILE_IN_PATH = {
  place: 'path',
  thing: 'media',
  name: 'id',
  others: 404,
  // A key limited to channels sees the whole library: files belong to no channel.
  except: { hidden: 'does not apply' },
} as const
const CURSOR = {
  place: 'cursor',
  name: 'cursor',
  own: 200,
  others: 422,
  // The place of a post that is hidden or gone is a place like any other, and shows nothing of it.
  except: { hidden: 'does not apply', deleted: 'does not apply' },
} as const

/**
 * Where each endpoint takes ids, for the tests of tenancy. A new endpoint has no row here, and the types are not right
 * until it has.
 */
export const TENANCY_ROWS = {
  getMe: [],
  listChannels: [],
  listChannelOptions: [{ place: 'path', thing: 'channel', name: 'id', own: 200, others: 404 }],
  listPosts: [
    { place: 'query', thing: 'channel', name: 'channelId', own: 200, others: 'an empty page' },
    { ...CURSOR, thing: 'cursor of posts' },
  ],
  createPost: [
    {
      place: 'body',
      thing: 'channel',
      name: 'channelIds',
      body: { content: 'To a channel' },
      own: 201,
      others: 422,
    },
    {
      place: 'body',
      thing: 'media',
      name: 'mediaIds',
      body: { content: 'With a file' },
      own: 201,
      others: 422,
      except: { hidden: 'does not apply' },
    },
  ],
  validatePost: [
    {
      place: 'body',
      thing: 'channel',
      name: 'channelIds',
      body: { content: 'Would go to a channel' },
      own: 200,
      others: 422,
    },
    {
      place: 'body',
      thing: 'media',
      name: 'mediaIds',
      body: { content: 'Would have a file' },
      own: 200,
      others: 422,
      except: { hidden: 'does not apply' },
    },
  ],
  getPost: [{ ...POST_IN_PATH, own: 200 }],
  editPost: [{ ...POST_IN_PATH, own: 200, body: { content: 'Changed' } }],
  deletePost: [{ ...POST_IN_PATH, own: 200 }],
  listPostEvents: [{ ...POST_IN_PATH, own: 200 }],
  // An own one waits for its time, so there is nothing to send again.
  retryPost: [{ ...POST_IN_PATH, own: 409 }],
  listMedia: [{ ...CURSOR, thing: 'cursor of media' }],
  importMedia: [],
  createUpload: [],
  getMedia: [{ ...FILE_IN_PATH, own: 200 }],
  deleteMedia: [{ ...FILE_IN_PATH, own: 200 }],
  completeUpload: [{ ...FILE_IN_PATH, own: 200 }],
} satisfies Record<RouteName, readonly Row[]>
