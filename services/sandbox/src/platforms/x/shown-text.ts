import { createHash } from 'node:crypto'
import { findLinks } from './links.ts'
import { mediaKeyOf, mediaOf, postUrl, type Site } from './site.ts'
import type { Post } from './state.ts'

/** A text as X answers it: with short links, one of them for the files, and HTML's entities. */
export function shownText(site: Site, post: Post) {
  const urls: Record<string, unknown>[] = []
  let text = ''
  let done = 0
  const addLink = (to: string, more: Record<string, unknown>) => {
    const url = `https://t.co/${shortName(`${post.id} ${to}`)}`
    const start = Array.from(text).length
    text += url
    const end = Array.from(text).length
    urls.push({
      start,
      end,
      url,
      expanded_url: to,
      display_url: to.replace(/^https?:\/\//, ''),
      ...more,
    })
  }
  for (const { start, end, url } of findLinks(post.text)) {
    text += escaped(post.text.slice(done, start))
    addLink(/^https?:/i.test(url) ? url : `http://${url}`, {})
    done = end
  }
  text += escaped(post.text.slice(done))
  const media = mediaOf(site, post)
  if (media.length > 0) {
    if (text !== '') text += ' '
    const kind = media[0]?.category === 'tweet_video' ? 'video' : 'photo'
    addLink(`${postUrl(site, post)}/${kind}/1`, { media_key: media.map(mediaKeyOf)[0] })
  }
  return { text, urls }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function shortName(text: string): string {
  return createHash('sha256').update(text).digest('base64url').replace(/[-_]/g, '0').slice(0, 10)
}
