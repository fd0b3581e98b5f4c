import type { StandInEntry } from '../stand-in.ts'
import { bluesky } from './bluesky/stand-in.ts'
import { facebook } from './facebook/stand-in.ts'
import { instagram } from './instagram/stand-in.ts'
import { mastodon } from './mastodon/stand-in.ts'
import { threads } from './threads/stand-in.ts'

/** Every platform that the sandbox plays. */
export const STAND_INS: readonly StandInEntry[] = [mastodon, bluesky, facebook, instagram, threads]
