import type { LiveMedia, LivePost } from '../../platform.ts'
import { entitiesOf } from './entities.ts'
import { escapeHtml } from '../../html.ts'
import { renderStatus } from './render.ts'
import type { Account, Mastodon, Media, Status } from './tables.ts'

/** An account as the API shows it. */
export function accountView({ url, statuses }: Mastodon, { id, username, createdAt }: Account) {
  const own = statuses.all().filter(({ account }) => account === id)
  return {
    id,
    username,
    acct: username,
    display_name: username,
    locked: false,
    bot: false,
    discoverable: true,
    group: false,
    created_at: `${createdAt.slice(0, 10)}T00:00:00.000Z`,
    note: '',
    url: `${url}/@${username}`,
    uri: `${url}/users/${username}`,
    avatar: `${url}/avatars/original/missing.png`,
    avatar_static: `${url}/avatars/original/missing.png`,
    header: `${url}/headers/original/missing.png`,
    header_static: `${url}/headers/original/missing.png`,
    followers_count: 0,
    following_count: 0,
    statuses_count: own.length,
    last_status_at: own.at(-1)?.at.slice(0, 10) ?? null,
    emojis: [],
    fields: [],
  }
}

/** A status as the API shows it. */
export function statusView(mastodon: Mastodon, status: Status) {
  const { accounts, statuses, media, url } = mastodon
  const account = accounts.get(status.account)
  const repliedTo = statuses.get(status.inReplyToId ?? '')
  const tags = entitiesOf(status.text).flatMap((entity) =>
    entity.kind === 'hashtag' ? [entity.tag.toLowerCase()] : [],
  )
  return {
    id: status.id,
    created_at: status.at,
    in_reply_to_id: repliedTo?.id ?? null,
    in_reply_to_account_id: repliedTo?.account ?? null,
    sensitive: status.sensitive,
    spoiler_text: status.spoilerText,
    visibility: status.visibility,
    language: status.language,
    uri: `${url}/users/${account?.username}/statuses/${status.id}`,
    url: statusUrl(mastodon, status),
    replies_count: 0,
    reblogs_count: 0,
    favourites_count: 0,
    edited_at: null,
    content: renderStatus(status.text, {
      url: escapeHtml(url),
      profileUrl: (user) =>
        accounts.all().some(({ username }) => username.toLowerCase() === user.toLowerCase())
          ? `${url}/@${user}`
          : undefined,
    }),
    reblog: null,
    application: null,
    account: account && accountView(mastodon, account),
    media_attachments: status.mediaIds.flatMap((id) => mediaView(mastodon, media.get(id))),
    mentions: [],
    tags: [...new Set(tags)].map((name) => ({ name, url: `${url}/tags/${name}` })),
    emojis: [],
    card: null,
    poll: null,
  }
}

/** An attachment as the API shows it; it has no address while it is processed. */
export function mediaView({ url, core }: Mastodon, media: Media | undefined) {
  if (!media) return []
  const { id, mimeType, description, width, height, readyAtMs } = media
  const ready = core.clock.now() >= readyAtMs
  const size = width && height ? { original: { width, height, size: `${width}x${height}` } } : {}
  return [
    {
      id,
      type: mediaType(mimeType),
      url: ready ? `${url}/media_attachments/${id}` : null,
      preview_url: ready ? `${url}/media_attachments/${id}` : null,
      remote_url: null,
      meta: size,
      description,
      blurhash: null,
    },
  ]
}

/** The kind of an attachment. */
export function mediaType(mimeType: string): 'image' | 'gifv' | 'video' | 'audio' {
  if (mimeType === 'image/gif') return 'gifv'
  if (mimeType.startsWith('video/')) return 'video'
  return mimeType.startsWith('audio/') ? 'audio' : 'image'
}

export function statusUrl({ url, accounts }: Mastodon, { account, id }: Status): string {
  return `${url}/@${accounts.get(account)?.username}/${id}`
}

/** A status as the sandbox reports it. */
export function toLivePost(mastodon: Mastodon, status: Status): LivePost {
  const { account, id, text, at } = status
  const media = status.mediaIds.flatMap((mediaId) => toLiveMedia(mastodon.media.get(mediaId)))
  return { platform: 'MASTODON', account, id, url: statusUrl(mastodon, status), text, media, at }
}

function toLiveMedia(media: Media | undefined): LiveMedia[] {
  if (!media) return []
  const { mimeType, sizeBytes, sha256, width, height, description: altText } = media
  return [{ mimeType, sizeBytes, sha256, width, height, altText }]
}
