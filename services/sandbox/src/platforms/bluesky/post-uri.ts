export const COLLECTION = 'app.bsky.feed.post'

/** The address of a post in the AT Protocol. */
export function postUri({ did, rkey }: { did: string; rkey: string }): string {
  return `at://${did}/${COLLECTION}/${rkey}`
}
