import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { html, lines, pageAnswer } from '../../html.ts'
import { authenticateIfGiven } from './authenticate.ts'
import type { Instance } from './instance.ts'
import { refuseUnknown } from './refusals.ts'
import type { Status } from './state.ts'
import { statusHtml } from './status-html.ts'
import { fileUrl, mediaOf, statusView } from './views.ts'

/** `GET /api/v1/statuses/:id`. What is not for all is there for its owner alone. */
export function showStatus(instance: Instance, call: Call): Answer {
  const token = authenticateIfGiven(instance, call, ['read:statuses'])
  const status = instance.state.statuses.get(call.params['id'] ?? '')
  if (!status || (!isPublic(status) && token?.accountId !== status.accountId)) refuseUnknown()
  return jsonAnswer(200, statusView(instance, status))
}

/** `GET /@:username/:id`: the status as everyone sees it. */
export function showStatusPage(instance: Instance, call: Call): Answer {
  const status = instance.state.statuses.get(call.params['id'] ?? '')
  const account = instance.state.accounts.get(status?.accountId ?? '')
  const isThere = status && isPublic(status) && account?.username === call.params['username']
  if (!account || !isThere)
    return pageAnswer(404, 'Not found', html`<h1>There is nothing here</h1>`)
  const pictures = mediaOf(instance, status).map((media) => {
    const alt = media.description ?? ''
    if (media.type === 'video')
      return html`<video controls src="${fileUrl(instance, media)}" title="${alt}"></video>`
    return media.type === 'audio'
      ? html`<audio controls src="${fileUrl(instance, media)}" title="${alt}"></audio>`
      : html`<img src="${fileUrl(instance, media)}" alt="${alt}" />`
  })
  const warning =
    status.spoilerText === '' ? [] : [html`<p><b>${lines(status.spoilerText)}</b></p>`]
  return pageAnswer(
    200,
    `@${account.username} on Mastodon`,
    html`<article>
      <p class="dim">@${account.username}@${instance.domain()}</p>
      ${warning} ${{ html: statusHtml(instance, status.text) }}${pictures}
      <p class="dim"><time datetime="${status.createdAt}">${status.createdAt}</time></p>
    </article>`,
  )
}

/** `GET /system/media_attachments/:id`: the bytes of what was uploaded. */
export function showFile(instance: Instance, call: Call): Answer {
  const media = instance.state.media.get(call.params['id'] ?? '')
  const bytes = media && instance.files.get(media.sha256)
  if (!bytes) refuseUnknown()
  return {
    status: 200,
    headers: { 'content-type': media.mimeType, 'x-content-type-options': 'nosniff' },
    body: bytes,
  }
}

function isPublic({ visibility }: Status): boolean {
  return visibility === 'public' || visibility === 'unlisted'
}
