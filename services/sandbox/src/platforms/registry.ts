import type { StandInEntry } from '../stand-in.ts'
import { bluesky } from './bluesky/stand-in.ts'
import { discord } from './discord/stand-in.ts'
import { facebook } from './facebook/stand-in.ts'
import { instagram } from './instagram/stand-in.ts'
import { linkedin } from './linkedin/stand-in.ts'
import { mastodon } from './mastodon/stand-in.ts'
import { pinterest } from './pinterest/stand-in.ts'
import { reddit } from './reddit/stand-in.ts'
import { telegram } from './telegram/stand-in.ts'
import { threads } from './threads/stand-in.ts'
import { tiktok } from './tiktok/stand-in.ts'
import { x } from './x/stand-in.ts'
import { youtube } from './youtube/stand-in.ts'

/** Every platform that the sandbox plays. */
export const STAND_INS: readonly StandInEntry[] = [
  mastodon,
  bluesky,
  discord,
  facebook,
  instagram,
  linkedin,
  pinterest,
  reddit,
  telegram,
  threads,
  tiktok,
  x,
  youtube,
]
