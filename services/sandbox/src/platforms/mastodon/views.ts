import type { Instance } from './instance.ts'
import type { Account, Media, Status } from './state.ts'
import { statusHtml } from './status-html.ts'

const UNATTACHED_LASTS_MS = 86_400_000

export function accountView(instance: Instance, account: Account) {
  const { id, username, createdAt } = account
  const picture = `${instance.baseUrl()}/avatars/original/missing.png`
  const statuses = statusesOf(instance, id)
  return {
    id,
    username,
    acct: username,
    display_name: username,
    locked: false,
    bot: false,
    discoverable: true,
    indexable: false,
    group: false,
    created_at: `${createdAt.slice(0, 10)}T00:00:00.000Z`,
    note: '',
    url: `${instance.baseUrl()}/@${username}`,
    uri: `${instance.baseUrl()}/users/${username}`,
    avatar: picture,
    avatar_static: picture,
    header: picture,
    header_static: picture,
    followers_count: 0,
    following_count: 0,
    statuses_count: statuses.length,
    last_status_at: statuses.at(-1)?.createdAt.slice(0, 10) ?? null,
    emojis: [],
    fields: [],
    roles: [],
  }
}

/** A media attachment. It has no `url` until it is processed. */
export function mediaView(instance: Instance, media: Media) {
  const { id, type, width, height, description } = media
  const url = isReady(instance, media) ? fileUrl(instance, media) : null
  const size =
    width === null || height === null
      ? {}
      : { original: { width, height, size: `${width}x${height}`, aspect: width / height } }
  return {
    id,
    type,
    url,
    preview_url: url,
    remote_url: null,
    text_url: null,
    meta: size,
    description,
    blurhash: null,
  }
}

export function isReady(instance: Instance, media: Media): boolean {
  return isProcessed(instance, media) && !media.isBroken
}

/** Whether processing is over, well or badly. */
export function isProcessed(instance: Instance, { readyAt }: Media): boolean {
  return readyAt <= instance.now()
}

/** A file that no status has taken within a day is removed. */
export function isRemoved(instance: Instance, { readyAt, statusId }: Media): boolean {
  return statusId === undefined && readyAt + UNATTACHED_LASTS_MS <= instance.now()
}

export function fileUrl(instance: Instance, { id }: Media): string {
  return `${instance.baseUrl()}/system/media_attachments/${id}`
}

export function statusUrl(instance: Instance, status: Status): string {
  const { username = '' } = instance.state.accounts.get(status.accountId) ?? {}
  return `${instance.baseUrl()}/@${username}/${status.id}`
}

export function statusView(instance: Instance, status: Status) {
  const { accounts, apps } = instance.state
  const account = accounts.get(status.accountId)
  const app = apps.get(status.appId ?? '')
  const replied = instance.state.statuses.get(status.inReplyToId ?? '')
  return {
    id: status.id,
    created_at: status.createdAt,
    in_reply_to_id: status.inReplyToId,
    in_reply_to_account_id: replied?.accountId ?? null,
    sensitive: status.sensitive,
    spoiler_text: status.spoilerText,
    visibility: status.visibility,
    language: status.language,
    uri: `${instance.baseUrl()}/users/${account?.username ?? ''}/statuses/${status.id}`,
    url: statusUrl(instance, status),
    replies_count: 0,
    reblogs_count: 0,
    favourites_count: 0,
    edited_at: null,
    content: statusHtml(instance, status.text),
    reblog: null,
    application: app ? { name: app.name, website: app.website } : null,
    account: account ? accountView(instance, account) : null,
    media_attachments: mediaOf(instance, status).map((media) => mediaView(instance, media)),
    mentions: [],
    tags: [],
    emojis: [],
    card: null,
    poll: null,
  }
}

export function mediaOf(instance: Instance, { mediaIds }: Status): Media[] {
  return mediaIds.flatMap((id) => instance.state.media.get(id) ?? [])
}

/** Oldest first. */
export function statusesOf(instance: Instance, accountId: string): Status[] {
  return [...instance.state.statuses.values()].filter((status) => status.accountId === accountId)
}
