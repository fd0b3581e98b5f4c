import type { StandInEntry } from '../stand-in.ts'
import { bluesky } from './bluesky/stand-in.ts'
import { discord } from './discord/stand-in.ts'
import { mastodon } from './mastodon/stand-in.ts'
import { telegram } from './telegram/stand-in.ts'

/** Every platform that the sandbox plays. */
export const STAND_INS: readonly StandInEntry[] = [mastodon, bluesky, discord, telegram]
