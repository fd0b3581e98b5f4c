import type { Response } from 'express'

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
article,form{border:1px solid color-mix(in srgb,currentColor 25%,transparent);border-radius:.6rem;padding:.8rem 1rem;margin:0 0 1rem}
.text{white-space:pre-wrap}small,.dim{opacity:.75}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.2rem .6rem .2rem 0}
button,select,input{font:inherit;padding:.2rem .5rem}`
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'"

/** Text as it can stand in HTML, in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}

/** A page without anything from elsewhere; title is text, body is HTML. */
export function htmlPage(title: string, body: string, script = ''): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body>${body}${script && `<script>${script}</script>`}</body></html>
`
}

/** Answers with a page that can load nothing from elsewhere. */
export function sendPage(response: Response, status: number, html: string): void {
  response
    .status(status)
    .set({ 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff' })
    .type('html')
    .send(html)
}
