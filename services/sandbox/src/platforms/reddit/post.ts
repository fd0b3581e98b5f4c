import { z } from 'zod'
import type { Account } from '../../oauth/state.ts'
import { refuse, refusePost } from './refusals.ts'
import type { Reddit } from './server.ts'
import type { Post } from './state.ts'
import { subredditOf } from './subreddits.ts'

const MAX_TITLE = 300

/** Reddit takes `true`, `True` and `1` for yes. */
export const flag = z
  .union([z.boolean(), z.string().transform((text) => /^(true|1)$/i.test(text))])
  .catch(false)

/** What all posts have in common. */
export function newPost(
  { state }: Reddit,
  account: Account,
  fields: {
    sr: string
    title: string
    text: string
    flair_id: string
    nsfw: boolean
    spoiler: boolean
  },
): Omit<Post, 'kind' | 'link' | 'assetIds' | 'readyAt' | 'isBroken'> {
  return {
    id: (1_000_000_000 + state.posts.size).toString(36),
    accountId: account.id,
    subreddit: fields.sr,
    title: fields.title,
    text: fields.text,
    nsfw: fields.nsfw,
    spoiler: fields.spoiler,
    flairId: fields.flair_id || null,
  }
}

/** Refuses what the subreddit does not take. What it looks at after the title is for the caller to ask for. */
export function checkPlace(name: string, kind: Post['kind']) {
  if (name === '') refusePost('SUBREDDIT_REQUIRED', 'you must specify a subreddit', 'sr')
  const subreddit = subredditOf(name)
  const { takes, flairs, needsFlair, waitSeconds } = subreddit
  if (subreddit.isMissing) refusePost('SUBREDDIT_NOEXIST', "that subreddit doesn't exist", 'sr')
  if (subreddit.isPrivate) refuse(403, { reason: 'private' })
  if (subreddit.isRestricted)
    refusePost('SUBREDDIT_NOTALLOWED', "you aren't allowed to post there.", 'sr')
  if (kind === 'self' && !takes.includes('text'))
    refusePost('NO_SELFS', "that subreddit doesn't allow text posts", 'sr')
  if (kind === 'link' && !takes.includes('link'))
    refusePost('NO_LINKS', 'that subreddit only allows text posts', 'sr')
  if (!['self', 'link'].includes(kind) && !takes.includes('file'))
    refusePost(kind.startsWith('video') ? 'NO_VIDEOS' : 'NO_IMAGES', 'not allowed there', 'sr')
  return {
    checkWait: () => {
      if (waitSeconds === undefined) return
      const minutes = Math.ceil(waitSeconds / 60)
      const message = `you are doing that too much. try again in ${minutes} minutes.`
      refusePost('RATELIMIT', message, 'ratelimit', { ratelimit: waitSeconds })
    },
    checkFlair: (id: string) => {
      if (needsFlair && id === '')
        refusePost(
          'SUBMIT_VALIDATION_FLAIR_REQUIRED',
          'Your post must contain post flair.',
          'flair',
        )
      if (id !== '' && !flairs.some((flair) => flair.id === id)) refuse(400)
    },
  }
}

export function checkTitle(title: string): void {
  if (title.trim() === '') refusePost('NO_TEXT', 'we need something here', 'title')
  if (Array.from(title).length > MAX_TITLE)
    refusePost('TOO_LONG', `this is too long (max: ${MAX_TITLE})`, 'title')
}
