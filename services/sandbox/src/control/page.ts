import type { Answer } from '../call.ts'
import { FaultKind } from '../faults.ts'
import { type Html, html, lines, pageAnswer } from '../html.ts'
import type { LiveMedia } from '../stand-in.ts'
import { livePosts, type Stage } from './stage.ts'

const SHOWN = 100

/** `GET /`: what is live on all platforms, and the armed faults. */
export function showTimeline(stage: Stage): Answer {
  const platforms = stage.playing.map(
    ({ platform, name }) => html`<option value="${platform}">${name}</option>`,
  )
  const kinds = FaultKind.options.map((kind) => html`<option>${kind}</option>`)
  return pageAnswer(
    200,
    'Sandbox',
    html`<h1>Sandbox</h1>
      <p class="dim">
        Stand-ins of the social platforms. Nothing here is public. The page keeps itself up to date.
      </p>
      <ul class="dim">
        ${stage.playing.map(
          ({ name, baseUrl }) => html`<li>${name}: <code>${baseUrl()}</code></li>`,
        )}
      </ul>
      <h2>New account</h2>
      <form id="account">
        <select name="platform" aria-label="Platform">
          ${platforms}
        </select>
        <input
          name="username"
          placeholder="name (optional)"
          pattern="[a-z][a-z0-9]{2,17}"
          aria-label="Name"
        />
        <button>Make</button>
      </form>
      <pre id="made" hidden></pre>
      <h2>Faults</h2>
      <form id="fault">
        <select name="platform" aria-label="Platform">
          ${platforms}
        </select>
        <select name="kind" aria-label="Kind">
          ${kinds}
        </select>
        <input name="times" type="number" min="1" max="10000" value="1" aria-label="Times" />
        <button>Arm</button> <button type="button" id="clear">Clear all</button>
      </form>
      <div id="changing">${changing(stage)}</div>
      <p id="problem" role="alert"></p>
      <script src="/_page.js"></script>`,
  )
}

/** The part of the page that changes by itself. */
export function changing(stage: Stage): Html {
  const faults = stage.faults.list()
  const posts = livePosts(stage, {}).toReversed()
  return html`<ul>
      ${faults.map(
        ({ platform, account, kind, times, on }) =>
          html`<li>
            ${platform} ${account ?? 'any account'}: <b>${kind}</b> on ${on}, ${times} left
          </li>`,
      )}
    </ul>
    ${faults.length === 0 ? html`<p class="dim">None is armed.</p>` : []}
    <h2>Live (${posts.length})</h2>
    ${posts.slice(0, SHOWN).map(
      (post) =>
        html`<article>
          <p class="dim">${post.platform} ${nameOf(stage, post)}</p>
          ${post.title === undefined ? [] : html`<p><b>${post.title}</b></p>`}
          <p>${lines(post.text)}</p>
          ${post.media.map(showMedia)}
          <p class="dim">
            <a href="${post.url}"><time datetime="${post.at}">${post.at}</time></a>
          </p>
        </article>`,
    )}${posts.length === 0 ? html`<p class="dim">Nothing yet.</p>` : []}`
}

/** A picture or video with what describes it. */
function showMedia({ mimeType, sizeBytes, width, height, altText, url }: LiveMedia): Html {
  const size = width === null || height === null ? '' : `, ${width} × ${height}`
  const shown = mimeType.startsWith('video/')
    ? html`<video controls preload="metadata" src="${url}"></video>`
    : html`<img loading="lazy" src="${url}" alt="${altText ?? ''}" />`
  return html`${shown}
    <p class="dim">
      ${mimeType}${size}, ${sizeBytes} bytes${altText === null ? '' : `: ${altText}`}
    </p>`
}

function nameOf(stage: Stage, { platform, account }: { platform: string; account: string }) {
  const accounts = stage.playing.find((one) => one.platform === platform)?.standIn.accounts()
  return accounts?.find((one) => one.account === account)?.username ?? account
}

/** The page's script: it takes over what the server has rendered and escaped. */
export const PAGE_SCRIPT = `
const find = (id) => document.getElementById(id)
async function ask(method, path, body) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) })
  const text = await answer.text()
  const value = text === '' ? undefined : JSON.parse(text)
  find('problem').textContent = answer.ok ? '' : value.error.message
  return answer.ok ? value : undefined
}
let shown
async function refresh() {
  const answer = await fetch('/_changing').catch(() => undefined)
  const text = answer?.ok ? await answer.text() : shown
  // What stays as it is keeps its place and its video runs on.
  if (text !== shown) find('changing').innerHTML = shown = text
}
const fieldsOf = (form) =>
  Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''))
find('account').addEventListener('submit', async (event) => {
  event.preventDefault()
  const made = await ask('POST', '/_/accounts', fieldsOf(event.target))
  if (made) Object.assign(find('made'), { hidden: false, textContent: JSON.stringify(made, null, 2) })
})
find('fault').addEventListener('submit', async (event) => {
  event.preventDefault()
  const { times, ...fault } = fieldsOf(event.target)
  await ask('POST', '/_/faults', { ...fault, times: Number(times) })
  await refresh()
})
find('clear').addEventListener('click', async () => {
  await ask('DELETE', '/_/faults')
  await refresh()
})
setInterval(refresh, 2000)
`
