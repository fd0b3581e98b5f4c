import { escapeHtml } from './count.ts'
import { FaultKind } from './faults.ts'
import type { World } from './world.ts'

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem }
  article { border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: .5rem; padding: .75rem 1rem; margin: .75rem 0 }
  article p { white-space: pre-wrap; overflow-wrap: anywhere; margin: .25rem 0 }
  small { opacity: .7 } form { display: inline } fieldset { border-radius: .5rem; margin: 1rem 0 }
`

/** The page where a person sees what is live on every platform, newest first, and makes calls fail. */
export function timelinePage({ ledger, faults }: World): string {
  const posts = ledger.posts
    .toReversed()
    .slice(0, 200)
    .map((post) => {
      const account = ledger.accounts.find(({ id }) => id === post.account)
      return `<article><small>${post.platform} · @${escapeHtml(account?.username ?? '')} · <time>${post.at}</time></small>
      <p>${escapeHtml(post.text)}</p>${post.media.length > 0 ? `<small>${post.media.length} files</small> ` : ''}<a href="${escapeHtml(post.url)}">open</a></article>`
    })
  const armed = faults
    .list()
    .map(({ platform, kind, times, on }) => `<li>${platform}: ${kind} on ${on}, ${times} more</li>`)
  const kinds = FaultKind.options.map((kind) => `<option>${kind}</option>`)
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <meta http-equiv="refresh" content="3"><title>Herald sandbox</title><style>${STYLE}</style>
    <h1>Herald sandbox</h1>
    <p>What is live on the stand-ins of the platforms. Nothing here leaves this machine.</p>
    <fieldset><legend>Make the next call fail</legend>
      <form method="post" action="/faults">
        <select name="platform"><option>MASTODON</option><option>BLUESKY</option></select>
        <select name="kind">${kinds.join('')}</select> <button>Arm</button></form>
      <form method="post" action="/faults/clear"><button>Clear all</button></form>
      <ul>${armed.join('') || '<li>No fault is armed.</li>'}</ul></fieldset>
    ${posts.join('') || '<p>Nothing is live yet.</p>'}</html>`
}
