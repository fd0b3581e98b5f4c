import { createHash } from 'node:crypto'
import { type Html, html } from '../html.ts'

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem}' +
  'label{display:block;margin:.5rem 0}button{font:inherit;margin-top:1rem;padding:.4rem 1rem}'

/** What the page may do: be shown, and send its form to where it came from. */
export const CONNECT_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

type Account = { account: string; name: string; username: string }
type Connected = { platformName: string; name: string; username: string }

/** Accounts have been connected. */
export function connectedPage(channels: readonly Connected[]): string {
  const rows = channels.map(
    ({ platformName, name, username }) => html`<li>${platformName}: ${name} (${username})</li>`,
  )
  return page(
    channels.length === 1 ? 'The account is connected' : 'The accounts are connected',
    html`<ul>
        ${rows}
      </ul>
      <p>You can close this page.</p>`,
  )
}

/** A person chooses among accounts. The form goes to an address beside that of the page. */
export function choicePage(token: string, accounts: readonly Account[], action: string): string {
  const rows = accounts.map(
    ({ account, name, username }) =>
      html`<label
        ><input type="checkbox" name="account" value="${account}" /> ${name} (${username})</label
      >`,
  )
  return page(
    'Which accounts do you want to connect?',
    html`<form method="post" action="${action}">
      <input type="hidden" name="token" value="${token}" />
      ${rows}
      <button>Connect</button>
    </form>`,
  )
}

/** Nothing has been connected, and why. */
export function refusalPage(message: string): string {
  return page(
    'Nothing was connected',
    html`<p>${message}</p>
      <p>To try again, begin anew: the address that you came with works once.</p>`,
  )
}

function page(title: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${STYLE_ELEMENT}
      </head>
      <body>
        <h1>${title}</h1>
        ${body}
      </body>
    </html> `.html
}

const STYLE_ELEMENT: Html = { html: `<style>${STYLE}</style>` }
