import { z } from 'zod'
import type { LiveMedia, LivePost } from '../../platform.ts'
import { postUri } from './post-uri.ts'
import type { Bluesky, Post } from './tables.ts'

const Link = z.object({ ref: z.object({ $link: z.string() }) })
const Embed = z.object({
  images: z.array(z.object({ image: Link, alt: z.string() })).default([]),
  video: Link.optional(),
  alt: z.string().optional(),
})

/** A post as the sandbox reports it. */
export function toLivePost(bluesky: Bluesky, post: Post): LivePost {
  const { did: account, rkey, record, at } = post
  const handle = bluesky.accounts.get(account)?.handle ?? account
  return {
    platform: 'BLUESKY',
    account,
    id: postUri(post),
    url: `${bluesky.url}/profile/${handle}/post/${rkey}`,
    text: String(record.text),
    media: mediaOf(bluesky, post),
    at,
  }
}

function mediaOf({ blobs }: Bluesky, { did, record }: Post): LiveMedia[] {
  const embed = Embed.safeParse(record.embed).data
  if (!embed) return []
  const links = embed.images.map(({ image, alt }) => ({ link: image.ref.$link, alt }))
  if (embed.video) links.push({ link: embed.video.ref.$link, alt: embed.alt ?? '' })
  return links.flatMap(({ link, alt }) => {
    const blob = blobs.get(`${did}/${link}`)
    if (!blob) return []
    const { mimeType, sizeBytes, sha256, width, height } = blob
    return [{ mimeType, sizeBytes, sha256, width, height, altText: alt || null }]
  })
}
