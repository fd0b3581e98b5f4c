import { refuse, refuseParams } from './refusals.ts'

/** TikTok fetches from addresses alone that the app has proven to be its own; here that is all but hosts with `unverified`. */
export function requireOwnUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) refuseParams('The URL is invalid.')
  if (url.hostname.includes('unverified'))
    refuse(
      403,
      'url_ownership_unverified',
      'Please review our URL ownership verification rules at https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide#pull_from_url',
    )
}
