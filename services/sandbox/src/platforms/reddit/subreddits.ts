/** What a subreddit takes and from whom. */
type Subreddit = {
  isMissing?: true
  /** Only its members see it. */
  isPrivate?: true
  /** Only some may post in it. */
  isRestricted?: true
  /** Everyone has to wait for so many seconds. */
  waitSeconds?: number
  takes: readonly ('text' | 'link' | 'file')[]
  flairs: readonly { id: string; text: string }[]
  needsFlair?: true
}

const EVERYTHING: Subreddit = { takes: ['text', 'link', 'file'], flairs: [] }

/** Those that are not like the others, by their name in small letters. */
const SPECIAL: Record<string, Subreddit> = {
  nosuchplace: { ...EVERYTHING, isMissing: true },
  private: { ...EVERYTHING, isPrivate: true },
  restricted: { ...EVERYTHING, isRestricted: true },
  busy: { ...EVERYTHING, waitSeconds: 540 },
  textonly: { ...EVERYTHING, takes: ['text'] },
  linksonly: { ...EVERYTHING, takes: ['link'] },
  flaired: {
    ...EVERYTHING,
    flairs: [
      { id: '0f0c2f5e-6a3b-11ec-8f4e-5a2c3f1b7d90', text: 'News' },
      { id: '1a7d9c44-6a3b-11ec-9a55-7e0b8d2c4f13', text: 'Question' },
    ],
    needsFlair: true,
  },
}

/** Every name is a subreddit that takes everything, save the special ones. */
export function subredditOf(name: string): Subreddit {
  if (!/^[A-Za-z0-9_]{2,21}$/.test(name)) return { ...EVERYTHING, isMissing: true }
  return new Map(Object.entries(SPECIAL)).get(name.toLowerCase()) ?? EVERYTHING
}
