import type { Answer } from './call.ts'

/** Text that is HTML already. */
export type Html = { html: string }
type Part = Html | string | number | readonly Html[]

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** A template whose values are escaped, save those that are `Html`. */
export function html(strings: TemplateStringsArray, ...values: Part[]): Html {
  const parts = strings.map((text, index) => text + render(values[index] ?? ''))
  return { html: parts.join('') }
}

function render(value: Part): string {
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return String(value)
  return 'html' in value ? value.html : value.map((one) => one.html).join('')
}

/** Text with its line breaks. */
export function lines(text: string): Html {
  return { html: escapeHtml(text).replaceAll('\n', '<br>') }
}

/** A page for people: no assets of others, no frames, and scripts only from this server. */
export function pageAnswer(status: number, title: string, body: Html): Answer {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${{ html: STYLE }}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html> `
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src 'self'; media-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    body: page.html,
  }
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --dim: #8889; }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.3rem; margin: 0 0 .25rem; } h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; } .dim { opacity: .7; font-size: .875rem; }
article { border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; margin: .75rem 0; overflow-wrap: anywhere; }
article img, article video { max-width: 100%; max-height: 20rem; border-radius: .25rem; display: block; margin: .5rem 0 0; }
.invisible { font-size: 0; }
form, .row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
button, select, input { font: inherit; padding: .3rem .6rem; border: 1px solid var(--dim); border-radius: .375rem; background: transparent; color: inherit; }
select option { background: Canvas; color: CanvasText; }
button { cursor: pointer; } pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; font-size: .875rem; }
code { overflow-wrap: anywhere; }
`
