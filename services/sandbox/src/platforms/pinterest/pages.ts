import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { html, lines, pageAnswer } from '../../html.ts'
import { authenticate } from './authenticate.ts'
import { refuse } from './refusals.ts'
import type { Pinterest } from './server.ts'
import { boardsOf } from './boards.ts'
import { fileUrl } from './views.ts'

/** `GET /v5/user_account` */
export function showAccount(pinterest: Pinterest, call: Call): Answer {
  const { id, username } = authenticate(pinterest, call, 'user_accounts:read')
  return jsonAnswer(200, {
    id,
    username,
    account_type: 'PINNER',
    about: '',
    business_name: null,
    profile_image: `${pinterest.baseUrl()}/avatar.png`,
    website_url: '',
    board_count: boardsOf(pinterest, id).length,
    pin_count: [...pinterest.state.pins.values()].filter((pin) => pin.accountId === id).length,
    follower_count: 0,
    following_count: 0,
    monthly_views: 0,
  })
}

/** `GET /pin/:id/`: the pin as everyone sees it. */
export function showPinPage(pinterest: Pinterest, call: Call): Answer {
  const pin = pinterest.state.pins.get(call.params['id'] ?? '')
  if (!pin) return pageAnswer(404, 'Not found', html`<h1>There is nothing here</h1>`)
  const files = pin.files.map((file) =>
    file.mimeType.startsWith('video/')
      ? html`<video controls src="${fileUrl(pinterest, file)}"></video>`
      : html`<img src="${fileUrl(pinterest, file)}" alt="${pin.altText ?? ''}" />`,
  )
  const link = pin.link === null ? [] : [html`<p><a href="${pin.link}">${pin.link}</a></p>`]
  return pageAnswer(
    200,
    pin.title ?? 'A pin',
    html`<article>
      <h1>${pin.title ?? ''}</h1>
      ${files}
      <p>${lines(pin.description ?? '')}</p>
      ${link}
    </article>`,
  )
}

/** `GET /files/:sha256`: the bytes of a picture or video. */
export function showFile(pinterest: Pinterest, call: Call): Answer {
  const sha256 = call.params['sha256'] ?? ''
  const file = [...pinterest.state.pins.values()]
    .flatMap(({ files }) => files)
    .find((one) => one.sha256 === sha256)
  const bytes = file && pinterest.files.get(sha256)
  if (!bytes) refuse(404, 50, 'File not found.')
  return {
    status: 200,
    headers: { 'content-type': file.mimeType, 'x-content-type-options': 'nosniff' },
    body: bytes,
  }
}
