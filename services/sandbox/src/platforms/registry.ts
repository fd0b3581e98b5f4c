import type { StandInEntry } from '../stand-in.ts'
import { bluesky } from './bluesky/stand-in.ts'
import { mastodon } from './mastodon/stand-in.ts'
import { tiktok } from './tiktok/stand-in.ts'
import { youtube } from './youtube/stand-in.ts'

/** Every platform that the sandbox plays. */
export const STAND_INS: readonly StandInEntry[] = [mastodon, bluesky, tiktok, youtube]
