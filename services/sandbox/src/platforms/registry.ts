import type { StandInEntry } from '../stand-in.ts'
import { bluesky } from './bluesky/stand-in.ts'
import { linkedin } from './linkedin/stand-in.ts'
import { mastodon } from './mastodon/stand-in.ts'
import { x } from './x/stand-in.ts'

/** Every platform that the sandbox plays. */
export const STAND_INS: readonly StandInEntry[] = [mastodon, bluesky, linkedin, x]
