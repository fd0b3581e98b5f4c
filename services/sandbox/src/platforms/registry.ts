import type { StandInEntry } from '../stand-in.ts'
import { bluesky } from './bluesky/stand-in.ts'
import { mastodon } from './mastodon/stand-in.ts'
import { pinterest } from './pinterest/stand-in.ts'
import { reddit } from './reddit/stand-in.ts'

/** Every platform that the sandbox plays. */
export const STAND_INS: readonly StandInEntry[] = [mastodon, bluesky, pinterest, reddit]
