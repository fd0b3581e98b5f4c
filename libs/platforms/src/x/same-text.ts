import twitterText from 'twitter-text'
import type { Post } from './post.ts'

/** What is compared of a text: its words without its links, and its links. */
export type Compared = { words: string; links: string[] }

/** A text as it was sent. */
export function comparedText(text: string): Compared {
  const links = twitterText.extractUrls(text)
  return {
    words: wordsOf(links.reduce((rest, link) => rest.replace(link, ' '), text)),
    links: links.map(linkForm),
  }
}

/** The same of a post as X answers it: with its own short links, one for the files, and HTML's entities. */
export function comparedPost(post: Post): Compared {
  const { text, entities } = post.note_tweet ?? post
  // Those of the files belong to the post as a whole, wherever its words are.
  const urls = [...(entities?.urls ?? []), ...(post.entities?.urls ?? [])]
  const known = new Map(urls.map((one) => [one.url, one]))
  const shown = [...text.matchAll(/https?:\/\/t\.co\/\w+/g)].flatMap(
    ([url]) => known.get(url) ?? [],
  )
  const words = shown.reduce((rest, { url }) => rest.replace(url, ' '), text)
  const links = shown.filter(({ media_key: key, expanded_url: to = '' }) => !key && !isFile(to))
  return {
    words: wordsOf(words.replace(/&(amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity)),
    links: links.map(({ url, expanded_url: to }) => linkForm(to ?? url)),
  }
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

function wordsOf(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{White_Space}+/gu, ' ')
    .trim()
}

/** X adds a missing scheme and may change it. */
function linkForm(link: string): string {
  return link
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '')
}

function isFile(link: string): boolean {
  return /\/status\/\d+\/(photo|video)\/\d+$/.test(link)
}
