/** The groups of endpoints, in the order of the document. */
export const TAGS = {
  Key: 'The API key of the request and its organization.',
  Channels: 'The connected social accounts, with the rules of posting to them.',
  Posts: 'Scheduling posts, changing them, and following what becomes of them on every channel.',
  Media: 'The media library: files that posts carry, by import or by upload in three steps.',
} as const
export type TagName = keyof typeof TAGS
