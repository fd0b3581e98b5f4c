import { openRateWindow } from '../../rate-window.ts'
import type { World } from '../../stand-in.ts'
import { refuse } from './refusals.ts'

const UPLOADS_A_DAY = 100
const UNITS_A_DAY = 10_000

export type Quota = ReturnType<typeof openQuota>

/** The app's quota: 100 uploads and 10,000 units of other calls, until midnight in California. */
export function openQuota(world: World) {
  const open = (limit: number) =>
    openRateWindow(world, { limit, windowSeconds: 86_400, isAligned: false })
  const uploads = open(UPLOADS_A_DAY)
  const units = open(UNITS_A_DAY)
  const use = (window: typeof units) => {
    const day = new Date(world.now()).toLocaleDateString('en', { timeZone: 'America/Los_Angeles' })
    if (window.use(day).isExceeded && world.refusesByRate)
      refuse(403, 'quotaExceeded', {
        message:
          'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
        domain: 'youtube.quota',
      })
  }
  return { useUpload: () => use(uploads), useUnit: () => use(units) }
}
