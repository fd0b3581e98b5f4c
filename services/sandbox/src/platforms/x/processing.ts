import { mediaKeyOf, type Site } from './site.ts'
import type { Media } from './state.ts'

/** Whether a post can have the file. */
export function isReady(site: Site, { whole }: Media): boolean {
  if (!whole) return false
  return whole.readyAt === null || (whole.readyAt <= site.now() && !whole.isBroken)
}

/** An upload as X answers it. */
export function mediaView(site: Site, media: Media) {
  const { id, totalBytes, expiresAt, whole } = media
  const info = processingInfo(site, media)
  return {
    id,
    media_key: mediaKeyOf(media),
    expires_after_secs: Math.max(0, Math.floor((expiresAt - site.now()) / 1000)),
    ...(whole && { size: totalBytes }),
    ...(info && { processing_info: info }),
  }
}

function processingInfo(site: Site, { whole, category }: Media) {
  if (!whole || whole.readyAt === null) return undefined
  if (whole.readyAt > site.now())
    return { state: 'in_progress', check_after_secs: 1, progress_percent: 10 }
  if (!whole.isBroken) return { state: 'succeeded', progress_percent: 100 }
  const what = category === 'tweet_gif' ? 'GIF' : 'video'
  const error = { code: 1, name: 'InvalidMedia', message: `Unsupported ${what} format` }
  return { state: 'failed', progress_percent: 100, error }
}
