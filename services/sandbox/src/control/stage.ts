import type { Platform } from '@herald/contracts/platforms'
import type { Clock } from '../clock.ts'
import type { Faults } from '../faults.ts'
import type { Files } from '../files.ts'
import type { Ledger } from '../ledger.ts'
import type { Requests } from '../requests.ts'
import type { LivePost, StandIn } from '../stand-in.ts'
import type { Uploads } from '../uploads.ts'

/** A platform that is being played. */
export type Playing = {
  platform: Platform
  name: string
  /** Where it is mounted. */
  path: string
  baseUrl: () => string
  /** The environment that leads Herald here. */
  settings: () => Record<string, string>
  standIn: StandIn
}

/** All that the control API and the page look at and change. */
export type Stage = {
  playing: readonly Playing[]
  faults: Faults
  requests: Requests
  uploads: Uploads
  clock: Clock
  files: Files
  ledger: Ledger
}

export type Place = { platform?: Platform | undefined; account?: string | undefined }

/** What is live, oldest first. */
export function livePosts(stage: Stage, { platform, account }: Place): LiveEntry[] {
  return stage.playing
    .filter((one) => platform === undefined || one.platform === platform)
    .flatMap((one) => one.standIn.live().map((post) => ({ platform: one.platform, ...post })))
    .filter((post) => account === undefined || post.account === account)
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
}

export type LiveEntry = LivePost & { platform: Platform }

/** Forgets everything: accounts, tokens, posts, files, requests, uploads, faults, the clock. */
export function reset({ ledger, files, faults }: Stage): void {
  ledger.clear()
  files.clear()
  faults.clear()
}
